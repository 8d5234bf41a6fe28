#pragma once

// Reductions that combine neighbouring ranges of ranks, two at a time, until one is left: operands
// keep their order, whatever the tree. Of two ranges that meet, the one with the root receives, so
// that the result needs no last message; of others, the lower one.

#include <cstdint>

#include "collectives/schedule.hpp"

namespace pat::reduce {

/// Where a tree cuts a range of ranks in two.
struct Cut {
  int first = 1;            ///< ranks in the lower part; at least 1, below the size of the range
  std::uint32_t round = 0;  ///< in which the parts meet
};

/// The cut of a range of `size` ranks, at least 2, whose result is to be at its rank number
/// `keeper`. Pure.
using RangeTree = Cut (*)(int size, int keeper);

/// The schedule of the tree over all ranks.
Schedule build_ranges(RangeTree tree, const Problem& problem);

}  // namespace pat::reduce
