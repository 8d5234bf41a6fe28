#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/problem.hpp"

namespace pat {

/// Index of an operation in its rank's program.
using OpId = std::uint32_t;
/// A few of them: nearly all operations wait for four others at most.
using OpIds = boost::container::small_vector<OpId, 4>;

/// The memories of one rank: the user's send and receive buffer, and scratch which the program
/// owns.
enum class Buffer : std::uint8_t { send, recv, scratch };

/// A run of units in one buffer of one rank.
struct Slice {
  Buffer buffer = Buffer::scratch;
  std::size_t offset = 0;
  std::size_t length = 0;
};

/// What an operation does; target and source are those of Op.
enum class OpKind : std::uint8_t {
  join,   ///< the process itself has arrived and handed its buffers over
  send,   ///< `source` goes to `peer`; a length of 0 is a go-ahead
  recv,   ///< `target` comes from `peer`
  copy,   ///< target = source
  reduce  ///< target = source (op) target, as MPI_Reduce_local(source, target): source is on the
          ///< left
};

/// One operation of one rank's program. It may begin as soon as all of `after` have ended.
struct Op {
  OpKind kind = OpKind::join;
  int peer = -1;            ///< rank at the other end of a send or recv
  std::uint32_t tag = 0;    ///< which of the messages between the two ranks; set by seal()
  std::uint32_t round = 0;  ///< where the algorithm has rounds
  Slice source;
  Slice target;
  OpIds after;  ///< operations of the same rank that must have ended before
  /// Of a send: the first of the pieces that the vector or block is cut into; for people only.
  std::uint32_t segment = 0;
  /// Of both ends of a message: the send ends when its receiver has come, also where it could leave
  /// unasked.
  bool asks = false;
};

/// What one rank does: operations in an order that respects their dependencies. An operation that
/// does not come, directly or not, after the join may run in the background before the process
/// arrives; of the user's buffers such an operation may only receive into `recv`.
struct Program {
  std::vector<Op> ops;
  std::size_t scratch_units = 0;

  /// A process that waits for this one's go-ahead, see `turns`.
  struct Turn {
    int peer = -1;
    OpId go_ahead = 0;
    OpId delivered = 0;   ///< its first piece is here
    bool beside = false;  ///< its link is so slow that it leaves the port to the others
  };
  /// At the root of a paced star, in the order of the go-aheads. The dependencies of the operations
  /// give the planned order, which the checks follow. A run may do better: each peer says
  /// when it arrives (`announces_to`), and one that has come is given its go-ahead out of turn
  /// while fewer than `senders_at_once` that have come too hold one, who sends beside not counted.
  std::vector<Turn> turns;
  int senders_at_once = 1;
  int announces_to = -1;  ///< at a leaf of a paced star: who is told of its arrival

  OpId join();
  OpId send(int peer, Slice source, OpIds after, std::uint32_t round = 0);
  OpId recv(int peer, Slice target, OpIds after, std::uint32_t round = 0);
  OpId copy(Slice source, Slice target, OpIds after, std::uint32_t round = 0);
  OpId reduce(Slice source, Slice target, OpIds after, std::uint32_t round = 0);
  /// A go-ahead: a message without data.
  OpId send_signal(int peer, OpIds after, std::uint32_t round = 0) {
    return send(peer, {}, std::move(after), round);
  }
  OpId recv_signal(int peer, OpIds after, std::uint32_t round = 0) {
    return recv(peer, {}, std::move(after), round);
  }
  /// Reserves `units` of scratch and returns the slice.
  Slice scratch(std::size_t units);
};

/// Pure data: who sends what to whom, after what. Built without MPI by an algorithm's build
/// function, checked by verify() and hazards(), timed by simulate(), run by libpat.
struct Schedule {
  Problem problem;
  std::vector<Program> programs;  ///< one per rank; all but one empty if problem.only_rank is set

  explicit Schedule(Problem p) : problem(std::move(p)), programs(problem.ranks) {}
  /// Whether the program of this rank is asked for.
  bool wants(int rank) const { return problem.only_rank < 0 || problem.only_rank == rank; }
  std::size_t message_count() const;
};

/// The schedule of algorithms whose ranks can be built one by one: `build_rank(rank, program)`
/// writes the program of each that is asked for.
template <class BuildRank>
Schedule build_ranks(const Problem& problem, BuildRank build_rank) {
  Schedule schedule(problem);
  for (int rank = 0; rank < problem.ranks; ++rank)
    if (schedule.wants(rank)) build_rank(rank, schedule.programs[rank]);
  return schedule;
}

/// Numbers the messages between each pair of ranks in program order, so that the k-th send meets
/// the k-th receive. Called once by build_schedule().
void seal(Schedule& schedule);

/// Per operation: does it come after the join, directly or not? Such operations belong to the
/// caller, the others may run in the background.
std::vector<bool> after_join(const Program& program);

/// Cuts `whole` into `parts` runs whose lengths differ by at most one; returns run `index`.
Slice part_of(Slice whole, int parts, int index);

/// Blocks of these lengths, units, that lie side by side from the beginning of a buffer.
std::vector<Slice> side_by_side(Buffer buffer, const std::vector<std::size_t>& lengths);

}  // namespace pat
