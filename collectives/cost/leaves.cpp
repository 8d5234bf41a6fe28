#include "collectives/cost/leaves.hpp"

#include <algorithm>

namespace pat {

std::vector<Leaf> leaves_latest_first(const Problem& problem, const ArrivalPattern& pattern) {
  std::vector<Leaf> leaves;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const double bytes = static_cast<double>(problem.block(rank) * problem.unit_bytes);
    if (rank != problem.root && bytes > 0.0) leaves.push_back({pattern.offset_s[rank], bytes});
  }
  std::sort(leaves.begin(), leaves.end(),
            [](const Leaf& a, const Leaf& b) { return a.arrival_s > b.arrival_s; });
  return leaves;
}

double total_bytes(const std::vector<Leaf>& leaves) {
  double total = 0.0;
  for (const Leaf& leaf : leaves) total += leaf.bytes;
  return total;
}

}  // namespace pat
