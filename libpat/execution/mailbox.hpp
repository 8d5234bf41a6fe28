#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collectives/dynamic/protocol.hpp"

namespace pat {

/// The letters of dynamic algorithms on one private communicator. They carry the number of their
/// call: what belongs to a later one is kept, what belongs to an earlier one is dropped. One thread
/// at a time. All functions throw MpiFailure.
class Mailbox {
 public:
  /// `tag` must be free of other messages on `communicator`.
  Mailbox(MPI_Comm communicator, int tag);
  /// Settles: a letter left behind would reach the next communicator to which MPI gives the same
  /// context. Collective, like freeing the communicator.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// The next call; the same number on all ranks, as MPI orders collectives.
  std::uint32_t next_call() { return ++call_; }
  void send(int to, const Note& note);
  /// Letters of the present call that have come, in the order in which each sender sent them.
  std::vector<std::pair<int, Note>> take();
  /// Takes in every letter that was ever sent to this process and completes its own. Collective.
  void settle();
  /// In place of settle(), where somebody else has taken in all letters.
  void abandon();
  /// The ranks to which letters were sent.
  std::set<int> receivers() const;

 private:
  struct Letter {
    std::uint32_t call;
    Note note;
  };
  struct Outgoing {
    Letter letter;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void receive(int from);
  void receive_all();
  void complete_sends();

  MPI_Comm communicator_;
  int tag_;
  std::uint32_t call_ = 0;
  std::map<std::uint32_t, std::vector<std::pair<int, Note>>> waiting_;  // by call
  std::list<Outgoing> outgoing_;
  std::vector<int> sent_, received_;  // letters, by rank
};

}  // namespace pat
