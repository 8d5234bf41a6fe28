#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/schedule.hpp"
#include "core/arrival_pattern.hpp"

namespace pat::allgather {

/// Where the blocks lie in a buffer of all blocks in rank order. All ranks know the counts of all,
/// so both ends of a message know when there is nothing to send: then there is no message.
class Blocks {
 public:
  explicit Blocks(const Problem& problem) : first_unit_{0} {
    for (int rank = 0; rank < problem.ranks; ++rank)
      first_unit_.push_back(first_unit_.back() + problem.block(rank));
  }

  /// Units of the blocks of ranks first .. last-1.
  std::size_t units(int first, int last) const { return first_unit_[last] - first_unit_[first]; }
  /// The same as a run of the receive buffer.
  Slice run(int first, int last) const {
    return {Buffer::recv, first_unit_[first], units(first, last)};
  }
  /// A rank's own block in its send buffer.
  Slice own(int rank) const { return {Buffer::send, 0, units(rank, rank + 1)}; }

 private:
  std::vector<std::size_t> first_unit_;  // P + 1 of them
};

/// Of one block, or of the mean of blocks that differ.
inline double block_bytes(const Problem& problem) {
  return static_cast<double>(problem.total() * problem.unit_bytes) / problem.ranks;
}

/// The order of arrivals in which blocks are passed on: whose arrivals are nearer to each other
/// than a block takes come together, in rank order. So they keep their neighbours from call to
/// call, with connections that are open, and neighbours that are on one node.
inline std::vector<int> order_of(const Problem& problem, const ArrivalPattern& pattern) {
  return arrival_order(pattern, problem.cost.message_s(block_bytes(problem)));
}

/// Unless there is nothing in it.
inline void send(Program& program, int peer, Slice source, OpIds after, int round) {
  if (source.length > 0)
    program.send(peer, source, std::move(after), static_cast<std::uint32_t>(round));
}

/// Returns the operation after which the slice is there: `joined` where nothing is to come.
inline OpId receive(Program& program, int peer, Slice target, OpId joined, int round) {
  if (target.length == 0) return joined;
  return program.recv(peer, target, {joined}, static_cast<std::uint32_t>(round));
}

/// The schedule of algorithms that put the ranks in an order: `build_place(place, program)` writes
/// the program of the rank at each place of it that is asked for.
template <class BuildPlace>
Schedule build_places(const Problem& problem, const std::vector<int>& order,
                      BuildPlace build_place) {
  Schedule schedule(problem);
  for (int place = 0; place < problem.ranks; ++place)
    if (schedule.wants(order[place])) build_place(place, schedule.programs[order[place]]);
  return schedule;
}

}  // namespace pat::allgather
