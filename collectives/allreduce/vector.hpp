#pragma once

// The vector of one rank in an allreduce or a reduce-scatter: cut into pieces, each of which lies
// in the send buffer until something is combined with it, then at its own place in the receive
// buffer, or where that holds one block in scratch, so that neighbouring pieces are one message.
// The builders say what is sent and what is received; this class finds the memory and the
// dependencies.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "collectives/reduce/partials.hpp"
#include "collectives/reduce/scattered.hpp"
#include "collectives/schedule.hpp"

namespace pat::allreduce {

using reduce::Parts;
using reduce::Side;

/// Writes one rank's program. Messages to one peer leave in the order of the calls, and of the
/// receives from one peer at most two are open; those of different peers wait for each other only
/// where they touch the same pieces. What is too long to leave unasked is cut into several messages
/// (patterns/pieces.hpp). Pieces without units cost no operation. Not thread-safe.
class Vector {
 public:
  /// The vector is cut into `pieces` runs. `program` must be empty; it and the problem must outlive
  /// the object.
  Vector(const Problem& problem, Program& program, int pieces);
  /// As above for results of which each rank keeps a piece: piece i is [bounds[i], bounds[i + 1]),
  /// and values that are on their way lie in scratch.
  Vector(const Problem& problem, Program& program, const std::vector<std::size_t>& bounds);

  /// From now on no send leaves unasked: where many send to few, or in rounds, what leaves unasked
  /// holds up what is wanted sooner.
  void ask() { asks_ = true; }
  /// From now on sends leave and receives are taken in the order of the calls, to whomever they go,
  /// `at_once` of them (at least 1) at a time: for schedules in rounds that must not overtake each
  /// other.
  void keep_order(int at_once = 1);

  Parts all() const { return {0, static_cast<int>(pieces_.size())}; }
  /// Sends the present values of pieces of which all or none were combined or received before.
  void send(int peer, Parts range, std::uint32_t round = 0);
  /// Receives values and combines them with the own ones.
  void combine(int peer, Parts range, Side side, std::uint32_t round = 0);
  /// As above with two runs at most, each a message; combined once both are here, so that the
  /// second does not wait for the combining of the first.
  void combine(int peer, const std::vector<Parts>& ranges, Side side, std::uint32_t round = 0);
  /// Receives finished values.
  void receive(int peer, Parts range, std::uint32_t round = 0);
  /// Sees that these pieces lie in the receive buffer, so that one message takes them together with
  /// others that do.
  void take_in(Parts range);
  /// Sees that all lies there. The last call.
  void finish() { take_in(all()); }
  /// Copies these pieces to the beginning of the receive buffer. The last call where values lie in
  /// scratch.
  void hand_over(Parts range);

 private:
  struct Piece {
    std::size_t begin = 0, end = 0;
    bool moved = false;  // its value lies in the receive buffer
    OpIds written;       // the operation that put it there
    OpIds readers;       // sends of that value
  };
  struct Spare {
    Slice slice;
    OpIds use;
  };
  /// What one message brings, and the operation after which it is here.
  struct Arrived {
    Slice slice;
    OpId got;
  };
  /// A value that was received, to be combined.
  struct Incoming {
    Parts range;
    std::vector<Arrived> messages;  // side by side
    Spare* spare;                   // null: it was received where the result will be
  };
  Slice own(Parts range) const;   // the contribution
  Slice home(Parts range) const;  // where values lie that something was combined with
  Incoming take(int peer, Parts range, Side side, std::uint32_t round);
  void combine(const Incoming& in, const OpIds& received, Side side, std::uint32_t round);
  OpId combine_beside(const Slice& in, const Slice& here, OpIds after, const OpIds& readers,
                      Side side, std::uint32_t round);
  bool moved(Parts range) const { return pieces_[range.first].moved; }
  Spare& spare(std::size_t units);
  int messages_of(const Slice& slice) const;
  std::vector<Arrived> receive_into(int peer, const Slice& target, OpIds after,
                                    std::uint32_t round);
  OpIds writers(Parts range) const;
  OpIds users(Parts range) const;
  OpIds or_join(OpIds after) const;
  void wrote(Parts range, OpIds by);

  const Problem& problem_;
  Program& program_;
  OpId joined_;
  std::vector<Piece> pieces_;
  Slice home_{Buffer::recv, 0, 0};  // where the first unit lies
  std::array<Spare, 2> spares_;
  std::size_t next_spare_ = 0;
  bool asks_ = false, in_order_ = false;
  std::size_t sends_at_once_ = 1, receives_at_once_ = 2;
  std::map<int, OpIds> sends_, receives_;  // by peer; in order: all are one
};

}  // namespace pat::allreduce
