#pragma once

#include <algorithm>
#include <cmath>

#include "collectives/patterns/pieces.hpp"
#include "collectives/problem.hpp"

namespace pat::reduce {

/// The problem's segments, or N that makes (hops + N)(alpha + m/N (beta + gamma)) least:
/// sqrt(hops m (beta + gamma) / alpha), at least 1 and at most one a unit and 4096; so
/// many that they leave unasked.
inline int segments_through(const Problem& problem, double hops) {
  if (problem.segments > 0) return problem.segments;
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const LinkCost& cost = problem.cost;
  const double best =
      std::sqrt(std::max(0.0, hops) * bytes * (cost.beta_s_per_byte + cost.gamma_s_per_byte) /
                std::max(cost.alpha_s, 1e-12));
  const double most = static_cast<double>(std::clamp<std::size_t>(problem.units, 1, 4096));
  return std::max(static_cast<int>(std::clamp(std::round(best), 1.0, most)),
                  unasked_pieces(problem, bytes));
}

}  // namespace pat::reduce
