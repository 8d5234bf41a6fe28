// Sorted linear scatter: as lin, but in the order of the predicted arrivals. problem.window sends
// may be open at once, so that one leaf which is later than predicted does not hold up the others.
// Cost (equal arrivals): as lin. One late leaf: max(a_late - a_first + alpha + n beta, cost of
//   lin); symbols as in lin.cpp, a_late the arrival of the late leaf, a_first that of all others.
// Source: seed 001 Section 4.1, Fig. 5, Eqs. 10 and 12 (there with one send at a time).

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/scatter/star.hpp"

namespace pat::algorithm_scatter_slin {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return scatter::build_star(problem, {arrival_order(pattern), problem.window_or(2), false});
}

}  // namespace

PAT_ALGORITHM(scatter, slin) {
  return {.operation = Operation::scatter,
          .name = "slin",
          .idea = "the root sends the blocks in the order of the predicted arrivals",
          .cost = "(P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "seed 001, Section 4.1, Fig. 5, Eqs. 10, 12",
          .build = build,
          .uses_pattern = true,
          .root_ordered = true,
          .star = true};
}

}  // namespace pat::algorithm_scatter_slin
