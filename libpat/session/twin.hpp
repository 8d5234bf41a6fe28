#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libpat/execution/mailbox.hpp"
#include "libpat/execution/schedule_run.hpp"
#include "libpat/execution/slow_links.hpp"
#include "libpat/session/locked.hpp"
#include "libpat/session/stream.hpp"

namespace pat::detail {

/// What PAT knows of one of the user's communicators: the streams of calls on it and, from the
/// first call that needs one, a private communicator for PAT's messages. Its pointer is an
/// attribute of the user's.
class Twin {
 public:
  /// Most streams that are watched on one communicator; calls with further arguments are static.
  static constexpr std::size_t most_streams = 64;

  /// Local. `session_ranks[r]` is the rank in the session of rank r; `id` is the same on all.
  Twin(MPI_Comm user, std::vector<int> session_ranks, std::uint32_t id);
  ~Twin();
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;

  std::uint32_t id() const { return id_; }
  int rank() const { return rank_; }
  int size() const { return static_cast<int>(session_ranks_.size()); }
  /// Makes the private communicator. Collective over `user`, which it belongs to; without the lock.
  void open_messages(MPI_Comm user);
  /// There will be no private communicator: the library does all calls.
  void forgo_messages() { messages_ = Messages::never; }
  bool has_messages() const { return messages_ == Messages::open; }
  bool forgoes_messages() const { return messages_ == Messages::never; }
  /// The private communicator.
  MPI_Comm data() const { return data_; }
  const std::vector<int>& session_ranks() const { return session_ranks_; }
  int session_rank(int rank) const { return session_ranks_[static_cast<std::size_t>(rank)]; }
  /// The communicator's rank of a process of the session.
  int rank_of_session(int session_rank) const;

  /// The stream of these arguments, or null if there is none yet.
  Stream* find(const CallSignature& signature, const Algorithm* forced) const;
  /// As find(), but makes it; null when most_streams are there already. All ranks must call in the
  /// same order.
  Stream* obtain(Locked&, const CallSignature& signature, const Algorithm* forced);
  /// A stream for a new request: one that a freed request of the same kind left, or a new one; null
  /// when most_streams are there already. All ranks must call in the same order, also of frees.
  Stream* obtain_for_request(Locked&, const CallSignature& signature, const Algorithm* forced);
  Stream* by_id(std::uint32_t id) const {
    return id < streams_.size() ? streams_[id].get() : nullptr;
  }
  const std::vector<std::unique_ptr<Stream>>& streams() const { return streams_; }

  /// The series of calls that the library does without a decision; `because`: why. Local. From
  /// most_undecided on all calls of an operation are one.
  Series& undecided(Locked&, const CallSignature& signature, const Algorithm* forced,
                    std::string_view because);
  static constexpr std::size_t most_undecided = 256;
  /// A stream or such a series; null for an id that is not here.
  Series* series(std::uint32_t id) const;
  /// All that is counted: streams and what is left to the library.
  std::vector<const Series*> all_series() const;

  /// Tags of call `call` of a stream. Calls of a stream share them when they are
  /// Letters::calls_apart apart: the later one begins when the earlier is over here, so that their
  /// messages match in order.
  CallTags tags(const Stream& stream, std::uint32_t call) const;
  /// Whether the call may begin: the one before it that has its tags is over here.
  static bool tags_are_free(const Stream& stream, std::uint32_t call);
  /// Letters of dynamic algorithms; from open_messages() on.
  Mailbox& mailbox() { return *mailbox_; }

  /// A call ended half-way: what it left on its way would be taken for a later call's.
  void break_off(Locked&);
  /// Throws Error(order) that begins with the function's name, if a call broke off.
  void refuse_if_broken(const char* function) const;

  bool is_broken() const { return broken_; }

  /// Of this process on the communicator's topology; null where it has none.
  const std::shared_ptr<const Neighbours>& neighbours() const { return neighbours_; }
  /// See has_short_circle() in libpat/mpi/topology.hpp.
  bool has_short_circle() const { return short_circle_; }

  /// The call will not come: the ranks that the run may have sent to are kept.
  void give_up(Locked&, std::unique_ptr<Run> run);
  /// Gives up all that was begun ahead. Returns the ranks to which something may be under way.
  const std::set<int>& give_up_all(Locked&);
  /// A tag that nothing else uses.
  int last_tag() const { return last_tag_; }

  SlowLinks links;                            ///< to this process, as root of stars
  std::uint32_t calls = 0;                    ///< so far, where no journal counts them
  std::atomic<std::uint32_t> entered = 0;     ///< plain calls, where the watchdog counts them
  std::optional<std::uint32_t> journal_line;  ///< of its calls, once there are any
  bool orphaned = false;  ///< the user has freed the communicator, requests keep the twin
  /// The library's plain calls may block. Not from the first request on that needs this thread to
  /// be brought forward; all ranks see that at the same place among the communicator's calls. Read
  /// without the lock.
  std::atomic<bool> may_block = true;
  /// A call that must not wait would have needed the private communicator: the next one that may
  /// makes it. All ranks see that at the same place, too.
  std::atomic<bool> wants_messages = false;

 private:
  enum class Messages : std::uint8_t { not_yet, open, never };
  std::atomic<Messages> messages_ = Messages::not_yet;
  MPI_Comm data_ = MPI_COMM_NULL;
  std::uint32_t id_;
  int rank_ = 0;
  std::vector<int> session_ranks_;
  std::shared_ptr<const Neighbours> neighbours_;
  bool short_circle_ = false;
  Stream* add_stream(const CallSignature& signature, const Algorithm* forced);
  void begin(Series& series, std::size_t id, const CallSignature& signature,
             const Algorithm* forced);

  std::atomic<bool> broken_ = false;
  std::uint32_t tags_per_call_ = 0;
  int last_tag_ = 0;
  std::set<int> given_up_to_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Series>> undecided_;  // their ids follow those of streams
  std::unique_ptr<Mailbox> mailbox_;
};

}  // namespace pat::detail
