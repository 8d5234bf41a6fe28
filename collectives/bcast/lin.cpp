// Linear broadcast: the root sends the vector to one rank after another, in rank order.
// Cost (equal arrivals): (P - 1)(alpha + m beta); P processes, m bytes of the vector, alpha
// start-up
//   time of a message, beta transfer time per byte.
// Source: seed 003 (broadcast).

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_bcast_lin {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return bcast::build_tree_bcast(problem, {.tree = ranked_star(problem.ranks, problem.root)});
}

}  // namespace

PAT_ALGORITHM(bcast, lin) {
  return {.operation = Operation::bcast,
          .name = "lin",
          .idea = "the root sends the vector to one rank after another",
          .cost = "(P-1)(alpha + m beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "seed 003",
          .build = build};
}

}  // namespace pat::algorithm_bcast_lin
