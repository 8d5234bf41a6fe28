#pragma once

// The scatter star: the root sends every leaf its block. Shared by lin, slin and bslin, which
// differ in the order of the sends and in whether a leaf takes its block before it has arrived.

#include <vector>

#include "collectives/schedule.hpp"

namespace pat::scatter {

/// What a rank receives, in its receive buffer.
inline Slice own_block(const Problem& problem, int rank) {
  return {Buffer::recv, 0, problem.block(rank)};
}

struct Star {
  std::vector<int> order;   ///< ranks in the order of the sends; the root's own place is ignored
  int window = 1;           ///< sends that may be open at once; 1: strictly in turn
  bool background = false;  ///< leaves receive before they have arrived
};

/// Proficz 2020 Figs. 5 and 6. Blocks travel whole, from the root's buffer into the leaf's: nothing
/// is copied but the root's own block. Leaves with slow links (problem.link_slowdown) are sent
/// theirs first, beside the others.
Schedule build_star(const Problem& problem, const Star& star);

}  // namespace pat::scatter
