#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libpat/execution/mailbox.hpp"
#include "libpat/session/stream.hpp"

namespace pat {

/// One user communicator with its private twin, on which schedules run. Its pointer is an attribute
/// of the user's communicator, whose delete callback closes it when the user frees that.
class Communicator {
 public:
  /// Most streams that are watched on one communicator; calls with further arguments are static.
  static constexpr std::size_t most_streams = 64;

  /// Collective over `user`. `session_ranks[r]` is the rank in the session of rank r.
  Communicator(MPI_Comm user, std::vector<int> session_ranks, std::uint32_t id);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  std::uint32_t id() const { return id_; }
  int rank() const { return rank_; }
  int size() const { return static_cast<int>(session_ranks_.size()); }
  MPI_Comm data() const { return data_; }
  int session_rank(int rank) const { return session_ranks_[static_cast<std::size_t>(rank)]; }
  /// The communicator's rank of a process of the session.
  int rank_of_session(int session_rank) const;

  /// The stream of these arguments, or null if there is none yet.
  Stream* find(const CallSignature& signature, const Algorithm* fixed) const;
  /// As find(), but makes it; null when most_streams are there already. All ranks must call in the
  /// same order.
  Stream* obtain(const CallSignature& signature, const Algorithm* fixed);
  /// A stream for a new request: one that a freed request of the same kind left, or a new one; null
  /// when most_streams are there already. All ranks must call in the same order, also of frees.
  Stream* obtain_for_request(const CallSignature& signature, const Algorithm* fixed);
  Stream* by_id(std::uint32_t id) const {
    return id < streams_.size() ? streams_[id].get() : nullptr;
  }
  const std::vector<std::unique_ptr<Stream>>& streams() const { return streams_; }

  /// Tags of call `call` of a stream: calls that may be under way at once do not share any.
  CallTags tags(const Stream& stream, std::uint32_t call) const;
  /// Messages that one pair of ranks may exchange in one call.
  std::uint32_t tags_per_call() const { return tags_per_call_; }

  /// Letters of dynamic algorithms; for the thread that is in a collective call.
  Mailbox& mailbox() { return *mailbox_; }

  /// A call ended half-way: what it left on its way would be taken for a later call's.
  void break_off();
  /// Throws Error(order) that begins with the function's name, if a call broke off.
  void refuse_if_broken(const char* function) const;

  bool is_broken() const { return broken_; }

  /// The call will not come: the ranks that the execution may have sent to are kept.
  void give_up(std::unique_ptr<Execution> execution);
  /// Gives up all that was begun ahead. Returns the ranks to which something may be under way.
  const std::set<int>& give_up_all();
  /// A tag that nothing else uses.
  int last_tag() const { return last_tag_; }

  Settled settled_without_stream;  ///< calls that need no decision

  /// One call, for the trace: times on the session's clock.
  struct Call {
    std::int64_t start_ns, arrival_ns;
    double computing_s;
    const RegionState* region = nullptr;  ///< whose phase preceded it; null: none
    const Stream* stream = nullptr;       ///< what was called; null: without a decision
    std::vector<std::pair<std::string, double>> hints;
  };
  std::vector<Call> calls;
  bool orphaned = false;  ///< the user has freed the communicator, requests keep the twin

 private:
  MPI_Comm data_ = MPI_COMM_NULL;
  std::uint32_t id_;
  int rank_ = 0;
  std::vector<int> session_ranks_;
  Stream* add_stream(const CallSignature& signature, const Algorithm* fixed);

  std::atomic<bool> broken_ = false;
  std::uint32_t tags_per_call_ = 0;
  int last_tag_ = 0;
  std::set<int> given_up_to_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::unique_ptr<Mailbox> mailbox_;
};

}  // namespace pat
