#pragma once

#include <cstddef>
#include <vector>

#include "collectives/problem.hpp"

namespace pat::detail {

/// What the block of one leaf of a star took at the root: from when it could set out (the leaf had
/// come and had its go-ahead) until it was there.
struct BlockTime {
  int rank = -1;
  std::size_t bytes = 0;
  double took_s = 0.0;
};

/// Which leaves of a star have a link much slower than the others', as its root sees it. Such a
/// leaf is not late: its block takes long whenever it sets out, and leaves the root's port free
/// meanwhile. Not thread-safe. No MPI here.
class SlowLinks {
 public:
  /// Slow is who took more than `slow_ratio` times the usual (the lower quartile) for a byte, and a
  /// millisecond, in each of the last `calls` of its calls; no longer slow who took less than
  /// `fast_ratio` times, and half for each that is slow, in as many: who sends beside shares the
  /// port.
  static constexpr double slow_ratio = Problem::slow_link, fast_ratio = 1.5;
  static constexpr int calls = 3;

  /// What one call told: of leaves that sent something.
  void note(const std::vector<BlockTime>& call);
  /// One a rank; empty: no link is slow.
  const std::vector<bool>& slow() const { return slow_; }

 private:
  std::vector<int> in_a_row_;  ///< by rank: calls that say otherwise than slow_
  std::vector<bool> slow_;
};

}  // namespace pat::detail
