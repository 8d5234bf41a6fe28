#pragma once

#include <cstddef>
#include <vector>

#include "collectives/problem.hpp"

namespace pat::reduce_scatter {

/// Where the block of each rank begins in the vector, in units, and where the last one ends.
inline std::vector<std::size_t> block_bounds(const Problem& problem) {
  std::vector<std::size_t> bounds = {0};
  for (int rank = 0; rank < problem.ranks; ++rank)
    bounds.push_back(bounds.back() + problem.block(rank));
  return bounds;
}

}  // namespace pat::reduce_scatter
