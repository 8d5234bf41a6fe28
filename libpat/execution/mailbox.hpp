#pragma once

#include <mpi.h>

#include <compare>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "collectives/dynamic/protocol.hpp"

namespace pat::detail {

/// Which call a letter belongs to, the same on all ranks: its stream on the communicator, and its
/// number there.
struct CallKey {
  std::uint32_t stream = 0, call = 0;
  auto operator<=>(const CallKey&) const = default;
};

/// The letters of dynamic algorithms on one private communicator, of any number of calls at once.
/// Letters of calls that have not begun here are kept, those of calls that are over are dropped.
/// Thread-safe, but for abandon() and the destructor. All functions throw MpiFailure.
class Mailbox {
 public:
  /// Calls of one stream that may be under way at once: a call begins only when the one so many
  /// before it is over, so that older letters are known to be late.
  static constexpr std::uint32_t calls_apart = 16;

  /// `tag` must be free of other messages on `communicator`.
  Mailbox(MPI_Comm communicator, int tag);
  /// Settles: a letter left behind would reach the next communicator to which MPI gives the same
  /// context. Collective, like freeing the communicator.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void send(CallKey call, int to, const Note& note);
  /// Letters of this call that have come, in the order in which each sender sent them.
  std::vector<std::pair<int, Note>> take(CallKey call);
  /// The call is over here: what still comes for it is dropped.
  void close(CallKey call);
  /// In place of the collective part of the destructor, where somebody else has taken in all
  /// letters.
  void abandon();
  /// The ranks to which letters were sent.
  std::set<int> receivers() const;

 private:
  /// On the wire a call is a number: its stream, and the last bits of its own.
  using Name = std::uint32_t;
  struct Letter {
    Name call;
    Note note;
  };
  static_assert(sizeof(Letter) == 16);
  struct Outgoing {
    Letter letter;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  static Name name_of(CallKey call);
  bool is_closed(Name call) const;
  void receive(int from);
  void receive_all();
  void complete_sends();
  void settle();

  MPI_Comm communicator_;
  int tag_;
  mutable std::mutex mutex_;  // one thread may wait in a call while another brings others forward
  bool used_ = false;         // there was a dynamic call, here as everywhere
  std::map<Name, std::vector<std::pair<int, Note>>> waiting_;
  struct Closed {
    Name latest = 0;
    std::set<Name> last;  // those of the last calls_apart
  };
  std::map<std::uint32_t, Closed> closed_;  // by stream
  std::list<Outgoing> outgoing_;
  std::vector<int> sent_, received_;  // letters, by rank
};

}  // namespace pat::detail
