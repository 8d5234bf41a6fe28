// Background sorted linear scatter (the paper's BSLN): as slin, and a leaf takes its block while it
// still computes.
// Cost (equal arrivals): as lin. One late leaf: max(a_late - a_first, cost of lin);
//   symbols as in lin.cpp, a_late the arrival of the late leaf, a_first that of all others.
// Source: seed 001 Section 4.1, Fig. 6, Eqs. 11 and 12.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/scatter/star.hpp"

namespace pat::algorithm_scatter_bslin {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return scatter::build_star(problem, {arrival_order(pattern), problem.window_or(2), true});
}

}  // namespace

PAT_ALGORITHM(scatter, bslin) {
  return {.operation = Operation::scatter,
          .name = "bslin",
          .idea = "as slin, leaves receive in the background before they arrive",
          .cost = "(P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "seed 001, Section 4.1, Fig. 6, Eqs. 11, 12",
          .build = build,
          .uses_pattern = true,
          .root_ordered = true,
          .star = true,
          .background = true};
}

}  // namespace pat::algorithm_scatter_bslin
