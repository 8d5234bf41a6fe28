#pragma once

#include <algorithm>
#include <cmath>

#include "collectives/patterns/pieces.hpp"
#include "collectives/problem.hpp"

namespace pat::allreduce {

/// The segments with which a vector passes soonest through a chain of `hops` messages more than
/// one: sqrt(hops m (beta + gamma) / alpha) makes (hops + N)(alpha + m/N (beta + gamma)) least. At
/// least 1, at most one a unit and 128, so that every message has a tag in every MPI library, or as
/// many as leave unasked.
inline int chain_segments(const Problem& problem, int hops) {
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const LinkCost& cost = problem.cost;
  const double best =
      std::sqrt(std::max(0, hops) * bytes * (cost.beta_s_per_byte + cost.gamma_s_per_byte) /
                std::max(cost.alpha_s, 1e-12));
  const double most = static_cast<double>(std::clamp<std::size_t>(problem.units, 1, 128));
  return std::max(static_cast<int>(std::clamp(std::round(best), 1.0, most)),
                  unasked_pieces(problem, bytes));
}

}  // namespace pat::allreduce
