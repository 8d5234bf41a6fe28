// K-nomial tree: in each round everyone who has the vector sends it to k - 1 others; rank order,
// counted from the root.
// Cost (equal arrivals): at most (k - 1) ceil(log_k P) (alpha + m beta); P processes, m bytes of
//   the vector, alpha start-up time of a message, beta transfer time per byte.
// Variant: k, from 2 to P; unless set 2, the best by this formula (knomial_degree()): the last one
//   has the vector after ceil(log2 P) messages, one after another, and none can be sooner.
// Source: seed 003 (broadcast, k-nomial tree; derived, as its formula for k = 3 is misprinted).

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/degree.hpp"

namespace pat::algorithm_bcast_knomial {
namespace {

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.variant = knomial_degree(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return bcast::build_tree_bcast(
      problem, {.tree = ranked_knomial(problem.ranks, problem.root, knomial_degree(problem))});
}

double flat_s(const CostTerms& t) {
  const int k = knomial_degree(t.problem);
  return (k - 1) * t.levels(k) * (t.alpha + t.n * t.beta);
}

}  // namespace

PAT_ALGORITHM(bcast, knomial) {
  return {.operation = Operation::bcast,
          .name = "knomial",
          .idea = "k-nomial tree in rank order, k = 2 unless set",
          .cost = "(k-1) ceil(log_k P)(alpha + m beta)",
          .flat_s = flat_s,
          .source = "seed 003",
          .build = build,
          .tune = tune};
}

}  // namespace pat::algorithm_bcast_knomial
