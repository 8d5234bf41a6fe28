#pragma once

#include <vector>

#include "collectives/allgather/blocks.hpp"
#include "collectives/patterns/pieces.hpp"
#include "collectives/schedule.hpp"

namespace pat::allgather {

/// Every block travels once around the ring of the ranks in this order, in P - 1 rounds: each rank
/// passes on what it has just received, from its receive buffer, in so many pieces.
Schedule build_ring(const Problem& problem, const std::vector<int>& order, int pieces);

/// As the problem says, or so many that each leaves unasked.
inline int pieces_of(const Problem& problem) {
  return problem.segments > 0 ? problem.segments : unasked_pieces(problem, block_bytes(problem));
}

}  // namespace pat::allgather
