#pragma once

#include <algorithm>
#include <cmath>

#include "collectives/problem.hpp"

namespace pat {

/// In how many pieces what is passed on from process to process, `bytes` at a time, leaves unasked:
/// 1 where it is not known which messages do, and where the start-ups of so many would cost more
/// than a quarter of the transfer. A message that asks waits at each hop for its receiver to look,
/// and over TCP Open MPI sends large ones in one direction at a time. At most 256.
inline int unasked_pieces(const Problem& problem, double bytes) {
  constexpr double most = 256.0, little = 0.25;
  const LinkCost& cost = problem.cost;
  const std::size_t unasked = cost.unasked_bytes - cost.unasked_bytes % problem.unit_bytes;
  if (unasked == 0 || bytes <= 0.0) return 1;
  const double pieces = std::ceil(bytes / static_cast<double>(unasked));
  const bool pays = pieces * cost.alpha_s <= little * bytes * cost.beta_s_per_byte;
  return pays && pieces <= most ? static_cast<int>(pieces) : 1;
}

/// Whether messages of so many bytes leave before their receiver looks for them.
inline bool leaves_unasked(const Problem& problem, double bytes) {
  return bytes <= static_cast<double>(problem.cost.unasked_bytes);
}

}  // namespace pat
