// Background sorted binomial gather: as sbn, and a process receives while it still computes.
// Cost (equal arrivals): as bnom. One late process: max(a_late - a_first + alpha + (P / 2) n beta,
//   cost of bnom), for it sends the blocks of half of the processes in one message; late root:
//   max(a_root - a_first, cost of bnom); symbols as in bnom.cpp, a_late and a_root the arrival of
//   the late process or root, a_first that of all others.
// Layout: as sbn. Children's blocks land in scratch, at the root in the user's buffer where they
//   lie side by side there; copies out of scratch wait for the root's own arrival.
// Source: seed 001 Section 4.2, Fig. 12, Eqs. 22 (which prints (P-1)N/(2P) for N/2) and 24.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/gather/tree.hpp"

namespace pat::algorithm_gather_bsbn {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  std::vector<int> latest_first = arrival_order(pattern);
  std::reverse(latest_first.begin(), latest_first.end());
  return gather::build_tree_gather(
      problem, {.tree = ordered_binomial(latest_first, problem.root), .background = true});
}

}  // namespace

PAT_ALGORITHM(gather, bsbn) {
  return {
      .operation = Operation::gather,
      .name = "bsbn",
      .idea = "as sbn, processes receive in the background before they arrive",
      .cost = "ceil(log2 P) alpha + (P-1) n beta",
      .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha + (t.P - 1) * t.n * t.beta; },
      .source = "seed 001, Section 4.2, Fig. 12, Eqs. 22, 24",
      .build = build,
      .uses_pattern = true,
      .background = true,
      .needs_all_counts = true};
}

}  // namespace pat::algorithm_gather_bsbn
