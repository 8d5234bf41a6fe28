// Background sorted binomial scatter: as sbn, and a process receives and forwards while it still
// computes.
// Cost (equal arrivals): as bnom. One late process: max(a_late - a_first, cost of bnom);
//   symbols as in bnom.cpp, a_late its arrival, a_first that of all others.
// Layout: as sbn. An inner process forwards from scratch; its own block is copied to the user's
//   buffer once it has arrived, a leaf receives there at once.
// Source: seed 001 Section 4.1, Fig. 8, Eqs. 15 and 16.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/scatter/tree.hpp"

namespace pat::algorithm_scatter_bsbn {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return scatter::build_tree_scatter(
      problem, {ordered_binomial(arrival_order(pattern), problem.root), true});
}

}  // namespace

PAT_ALGORITHM(scatter, bsbn) {
  return {
      .operation = Operation::scatter,
      .name = "bsbn",
      .idea = "as sbn, processes receive and forward in the background before they arrive",
      .cost = "ceil(log2 P) alpha + (P-1) n beta",
      .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha + (t.P - 1) * t.n * t.beta; },
      .source = "seed 001, Section 4.1, Fig. 8, Eqs. 15, 16",
      .build = build,
      .uses_pattern = true,
      .background = true,
      .needs_all_counts = true};
}

}  // namespace pat::algorithm_scatter_bsbn
