#pragma once

// A dynamic algorithm decides while it runs, from what the processes tell each other. Its rules are
// a state machine for one process, without MPI and without a clock of its own: libpat drives it
// over real messages (libpat/execution), play() in simulated time. Both run the same code.

#include <cstdint>
#include <limits>
#include <vector>

#include "collectives/operand_side.hpp"

namespace pat {

/// A short message of a protocol; what the numbers mean is the protocol's business.
struct Note {
  std::int32_t kind = 0;
  std::int32_t piece = 0;
  std::int32_t value = 0;
};

/// What a process is to do next.
struct Actions {
  struct Letter {
    int to;
    Note note;
  };
  struct Transfer {
    int peer;
    int piece;
    OperandSide side = OperandSide::either;  ///< equal at both ends
  };
  std::vector<Letter> letters;
  std::vector<Transfer> sends;     ///< the present value of the piece goes to the peer
  std::vector<Transfer> receives;  ///< a value of the peer's comes and is combined with the piece
};

/// The part of one process in one call of a dynamic reduction. It may rely on this: letters between
/// two processes keep their order, those that come before the process itself wait for it, and no
/// letter is read after done(). Not thread-safe.
class Protocol {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  virtual ~Protocol() = default;

  /// Runs of units that the vector is cut into, equal on all processes; see part_of().
  virtual int pieces() const = 0;
  /// A letter came.
  virtual void take(int from, const Note& note) = 0;
  /// A value of the piece came and is combined.
  virtual void received(int piece) = 0;
  /// The value of the piece has left; its memory is free.
  virtual void sent(int piece) = 0;
  /// Appends what is to be done now. Called first when the process arrives, then after all that has
  /// come by then was taken, and no later than at next_s(). Seconds on any clock.
  virtual void act(double now_s, Actions& actions) = 0;
  /// When act() has something to do even if nothing comes; never: nothing.
  virtual double next_s() const = 0;
  /// The process has nothing more to do and may leave the call.
  virtual bool done() const = 0;

 protected:
  /// Throws Error(internal): no process can mean this letter.
  [[noreturn]] static void refuse_letter(int from, const Note& note);
};

}  // namespace pat
