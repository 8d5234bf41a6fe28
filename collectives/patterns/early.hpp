#pragma once

#include "core/arrival_pattern.hpp"

namespace pat {

/// How many of the processes, earliest first, may do their part before the others come: the most,
/// but for the last one, whose work of `work_s(count)` seconds is over when the next one comes; 0
/// where there are none.
template <class Work>
int early_ones(const ArrivalPattern& pattern, Work work_s) {
  const std::vector<int> order = arrival_order(pattern);
  for (int count = pattern.ranks() - 1; count > 0; --count)
    if (pattern.offset_s[order[count - 1]] + work_s(count) <= pattern.offset_s[order[count]])
      return count;
  return 0;
}

}  // namespace pat
