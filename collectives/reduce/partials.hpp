#pragma once

// The partial results of one rank in a reduction: its vector cut into pieces, each of which lies in
// the send buffer until something is combined with it. The builders of reductions say what is sent
// and what is received; this class finds the memory and the dependencies.

#include <array>
#include <cstdint>
#include <vector>

#include "collectives/operand_side.hpp"
#include "collectives/schedule.hpp"

namespace pat::reduce {

using Side = OperandSide;

/// Writes one rank's program. Sends leave in the order of the calls, at most problem.window
/// receives are open at once. Pieces without units cost no operation. Not thread-safe.
class Partials {
 public:
  /// The vector is cut into `pieces` runs. `program` must be empty and outlive the object.
  Partials(const Problem& problem, int rank, Program& program, int pieces);
  /// As above with the pieces given as runs of units: piece i is [bounds[i], bounds[i + 1]).
  Partials(const Problem& problem, int rank, Program& program, std::vector<std::size_t> bounds);

  /// From now on the operations of a round also wait for those of the rounds before: one receive is
  /// open at a time, and a send is not put before an earlier round's combination.
  void keep_rounds() { keep_rounds_ = true; }

  /// From now on a value may come while the one before it is combined, also where operands keep
  /// their order: each piece has a third place.
  void overlap() { rotation_ = 3; }

  /// Where transfers are agreed on: the sender announces itself when it has come, and its next
  /// send waits until the peer has asked for it.
  void offer(int peer, int piece, std::uint32_t round = 0);
  /// The other side: once the peer has announced itself and the combination before is done, asks
  /// for its value; the next combine waits for that.
  void ask(int peer, int piece, std::uint32_t round = 0);

  /// Sends the present value of a piece.
  void send(int peer, int piece, std::uint32_t round = 0);
  /// Receives a value and combines it with the piece.
  void combine(int peer, int piece, Side side = Side::either, std::uint32_t round = 0);
  /// Receives a value in place of the piece, which was sent away before.
  void replace(int peer, int piece, std::uint32_t round = 0);
  /// At the root: sees that every piece lies in the receive buffer. The last call.
  void finish();

 private:
  struct Place {
    Slice slice;
    OpIds use;  // operations that must have ended before it is overwritten
  };
  struct Piece {
    Slice own;        // the contribution, in the send buffer
    int at = -1;      // which of `places` holds the value; -1: still `own`
    Place places[3];  // taken when needed; the first is the receive buffer at the root
    OpIds written;    // the operation that wrote the value, if any
  };
  Piece& at(int piece) { return pieces_[static_cast<std::size_t>(piece)]; }
  static Slice value(const Piece& piece) {
    return piece.at < 0 ? piece.own : piece.places[piece.at].slice;
  }
  Place& place(Piece& piece, int which);
  Place& spare(std::size_t units);
  OpId receive(int peer, const Slice& target, OpIds after, std::uint32_t round);
  void remember(OpId done, std::uint32_t round);
  OpIds or_join(OpIds after) const;
  void combine_here(Piece& piece, int peer, std::uint32_t round);
  void combine_there(Piece& piece, int peer, std::uint32_t round);

  const Problem& problem_;
  Program& program_;
  bool at_root_;
  OpId joined_;
  std::vector<Piece> pieces_;
  std::size_t longest_ = 0;
  std::array<Place, 2> spares_;
  std::size_t next_spare_ = 0;
  bool keep_rounds_ = false;
  int rotation_ = 2;  // places of a piece that are used in turn
  std::uint32_t combined_round_ = 0;
  OpIds combined_;         // the last round's combination or receive
  OpIds combined_before_;  // the one of the round before it
  OpIds last_send_;
  OpIds receives_;
  OpIds agreed_;  // what the next send or receive waits for besides
};

}  // namespace pat::reduce
