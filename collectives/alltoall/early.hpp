#pragma once

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/patterns/early.hpp"

namespace pat::alltoall {

/// How many exchange before the others come: all, unless others come when these are done. The
/// variant, where it is set.
inline int early_of(const Problem& problem, const ArrivalPattern& pattern) {
  if (problem.variant > 0) return std::min(problem.variant, problem.ranks);
  if (!problem.exchanges.empty()) return problem.ranks;  // nobody knows all of them
  const double bytes = static_cast<double>(problem.total() * problem.unit_bytes) / problem.ranks;
  const double step_s = problem.cost.message_s(bytes);
  const int early =
      early_ones(pattern, [&](int count) { return static_cast<double>(count - 1) * step_s; });
  return 2 * early >= problem.ranks ? early : problem.ranks;
}

inline Tuning tune_early(const Problem& problem, const ArrivalPattern& pattern) {
  return {.variant = early_of(problem, pattern)};
}

}  // namespace pat::alltoall
