// Sorted binomial gather: the earlier a process, the fewer others send through it and the earlier
// it sends.
// Cost (equal arrivals): as bnom. One late process is the root's last child, the head of half of
//   the others: a_late - a_first + cost of bnom; symbols as in bnom.cpp, a_late its arrival,
//   a_first that of all others.
// Layout: the process with the i-th latest arrival (0: the root) sends to the one whose number
//   lacks i's highest bit, the largest i first: the paper's tree for any P. Subtrees are runs by
//   the order in which places are given out (patterns/rooted_tree), so only the root permutes, one
//   copy at most. Receives are posted together: who comes first is taken first.
// Source: seed 001 Section 4.2, Fig. 11, Eqs. 21 and 23.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/gather/tree.hpp"

namespace pat::algorithm_gather_sbn {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  std::vector<int> latest_first = arrival_order(pattern);
  std::reverse(latest_first.begin(), latest_first.end());
  return gather::build_tree_gather(problem, {.tree = ordered_binomial(latest_first, problem.root)});
}

}  // namespace

PAT_ALGORITHM(gather, sbn) {
  return {
      .operation = Operation::gather,
      .name = "sbn",
      .idea = "binomial tree in which the earliest processes send first",
      .cost = "ceil(log2 P) alpha + (P-1) n beta",
      .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha + (t.P - 1) * t.n * t.beta; },
      .source = "seed 001, Section 4.2, Fig. 11, Eqs. 21, 23",
      .build = build,
      .uses_pattern = true,
      .needs_all_counts = true};
}

}  // namespace pat::algorithm_gather_sbn
