#pragma once

#include <algorithm>
#include <cmath>

#include "collectives/patterns/rooted_tree.hpp"
#include "collectives/problem.hpp"

namespace pat {

// The k of trees and chains: the problem's variant, or what the cost formula says of what all ranks
// know, so that all take the same: the number of ranks, the cost of links and the vector of an
// operation without counts.

/// ceil(log_k P)(k - 1) messages follow each other: 2 is best, (k - 1) L >= log2(k) L >= log2(P).
inline int knomial_degree(const Problem& problem) {
  return problem.variant >= 2 ? std::min(problem.variant, std::max(2, problem.ranks)) : 2;
}

/// The k from 2 to 8 with the least k h, h levels below the root; of several the smallest.
inline int kary_degree(const Problem& problem) {
  const auto messages = [&](int k) { return k * kary_height(problem.ranks, k); };
  int best = 2;
  for (int k = 3; k <= 8; ++k)
    if (messages(k) < messages(best)) best = k;
  return std::min(problem.variant >= 1 ? problem.variant : best, std::max(1, problem.ranks - 1));
}

/// Chains take (L - 1 + k N)(alpha + m/N b), L = (P - 1)/k, b what a byte takes. With the best N
/// that is (sqrt((L - 1) alpha) + sqrt(k m b))^2, least for about k = sqrt((P - 1) alpha / (m b)),
/// where N = m b / alpha. Were that below 1, N is 1 and k = sqrt(P - 1) is best.
inline int chains_degree(const Problem& problem, double seconds_per_byte) {
  const int most = std::max(1, problem.ranks - 1);
  const double transfer_s = std::max(problem.block_bytes() * seconds_per_byte, 1e-12);
  const double best = std::sqrt(most * std::min(1.0, problem.cost.alpha_s / transfer_s));
  return std::clamp(problem.variant >= 1 ? problem.variant : static_cast<int>(std::round(best)), 1,
                    most);
}

}  // namespace pat
