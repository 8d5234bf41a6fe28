#pragma once

#include <mpi.h>

#include <list>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "libpat/execution/letters.hpp"

namespace pat::detail {

/// Sends and receives the letters of dynamic algorithms on one private communicator, of any number
/// of calls at once. Thread-safe, but for abandon() and the destructor. All functions throw
/// MpiFailure, take() also Error(internal) for a message that is no letter.
class Mailbox {
 public:
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
  struct Outgoing {
    Letter letter;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void receive(int from);
  void receive_all();
  void complete_sends();
  void settle();

  MPI_Comm communicator_;
  int tag_;
  mutable std::mutex mutex_;  // one thread may wait in a call while another brings others forward
  bool used_ = false;         // there was a dynamic call, here as everywhere
  Letters letters_;
  std::list<Outgoing> outgoing_;
  std::vector<int> sent_, received_;  // letters, by rank
};

}  // namespace pat::detail
