#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "collectives/operation_row.hpp"
#include "core/arrival_pattern.hpp"

namespace pat::test {

/// The patterns every algorithm is checked with: flat, one late rank, late root, uniform, reversed,
/// ties.
inline std::vector<ArrivalPattern> sample_patterns(int ranks, int root, std::uint64_t seed) {
  std::vector<ArrivalPattern> patterns(6, ArrivalPattern::flat(ranks));
  patterns[1].offset_s[ranks / 2] = 0.01;
  patterns[2].offset_s[root] = 0.01;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 0.05);
  for (int r = 0; r < ranks; ++r) {
    patterns[3].offset_s[r] = uniform(random);
    patterns[4].offset_s[r] = 0.001 * (ranks - r);
    patterns[5].offset_s[r] = 0.001 * (r % 3);
  }
  return patterns;
}

/// Gives each block, or the block of each pair of ranks, the length that `draw()` says next.
template <class Draw>
void vary(Problem& problem, Draw draw) {
  const auto ranks = static_cast<std::size_t>(problem.ranks);
  problem.units = 0;
  if (!row(problem.operation).all_to_all()) {
    for (std::size_t rank = 0; rank < ranks; ++rank) problem.counts.push_back(draw());
    return;
  }
  problem.exchanges.assign(ranks,
                           {std::vector<std::size_t>(ranks), std::vector<std::size_t>(ranks)});
  for (std::size_t from = 0; from < ranks; ++from)
    for (std::size_t to = 0; to < ranks; ++to)
      problem.exchanges[from].sent[to] = problem.exchanges[to].received[from] = draw();
}

}  // namespace pat::test
