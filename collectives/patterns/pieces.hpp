#pragma once

#include <algorithm>
#include <cmath>

#include "collectives/problem.hpp"

namespace pat {

/// Not more, so that each has a tag.
inline constexpr int most_unasked_pieces = 256;

/// In how many pieces what is passed on from process to process, `bytes` at a time, leaves unasked:
/// 1 where it is not known which messages do, and where the start-ups of so many would cost more
/// than a quarter of the transfer. A message that asks waits at each hop for its receiver to look,
/// and over TCP Open MPI sends large ones in one direction at a time. At most
/// `most_unasked_pieces`.
inline int unasked_pieces(const Problem& problem, double bytes) {
  constexpr double little = 0.25;
  const LinkCost& cost = problem.cost;
  const std::size_t unasked = cost.unasked_bytes - cost.unasked_bytes % problem.unit_bytes;
  if (unasked == 0 || bytes <= 0.0) return 1;
  const double pieces = std::ceil(bytes / static_cast<double>(unasked));
  const bool pays = pieces * cost.alpha_s <= little * bytes * cost.beta_s_per_byte;
  return pays && pieces <= most_unasked_pieces ? static_cast<int>(pieces) : 1;
}

/// Whether messages of so many bytes leave before their receiver looks for them.
inline bool leaves_unasked(const Problem& problem, double bytes) {
  return bytes <= static_cast<double>(problem.cost.unasked_bytes);
}

/// Of messages in rounds that wait for their answers: how many a process has under way at once. An
/// answer comes behind what its sender is sending, so that of one at a time each waits for half of
/// another; `for_answers` of them fill that time. One where it is not known what leaves unasked: by
/// the model alone an answer takes no time, and rounds do best that do not overtake each other.
inline int rounds_at_once(const Problem& problem, int for_answers) {
  return problem.window_or(problem.cost.unasked_bytes > 0 ? std::max(1, for_answers) : 1);
}

}  // namespace pat
