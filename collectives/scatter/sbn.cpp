// Sorted binomial scatter: the earlier a process, the earlier the tree serves it and the more of
// the others it serves in turn.
// Cost (equal arrivals): as bnom. One late process: max(a_late - a_first + alpha + n beta, cost of
//   bnom), for the latest is a leaf served last; symbols as in bnom.cpp, a_late its arrival,
//   a_first that of all others.
// Layout: the process with the i-th earliest arrival (0: the root) is the child of the one whose
//   number lacks i's highest bit. This is the paper's tree without its bit reversals, which only
//   bring the blocks of a subtree together, and it holds for any P; here subtrees are runs by the
//   order in which places are given out (patterns/rooted_tree). The root packs each child's blocks
//   once, nobody else permutes anything.
// Source: seed 001 Section 4.1, Fig. 7, Eqs. 14 and 16.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/scatter/tree.hpp"

namespace pat::algorithm_scatter_sbn {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return scatter::build_tree_scatter(
      problem, {ordered_binomial(arrival_order(pattern), problem.root), false});
}

}  // namespace

PAT_ALGORITHM(scatter, sbn) {
  return {
      .operation = Operation::scatter,
      .name = "sbn",
      .idea = "binomial tree that serves the earliest processes first",
      .cost = "ceil(log2 P) alpha + (P-1) n beta",
      .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha + (t.P - 1) * t.n * t.beta; },
      .source = "seed 001, Section 4.1, Fig. 7, Eqs. 14, 16",
      .build = build,
      .uses_pattern = true,
      .needs_all_counts = true};
}

}  // namespace pat::algorithm_scatter_sbn
