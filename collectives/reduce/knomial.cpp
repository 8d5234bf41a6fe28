// K-nomial tree: in each round every k-th of those that are left combines the vectors of the k - 1
// after it; rank order from the root, or from rank 0 where operands keep their order.
// Cost (equal arrivals): at most (k - 1) ceil(log_k P) (alpha + m beta + m gamma); P processes, m
//   bytes of the vector, alpha start-up time of a message, beta transfer and gamma combining time
//   per byte. An operation that does not commute, with a root other than 0: alpha + m beta more.
// Variant: k, from 2 to P; unless set 2, the best by this formula (knomial_degree()). Then it is
//   bnom.
// Source: seed 003 (k-nomial tree, there a broadcast, turned round).

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/degree.hpp"
#include "collectives/reduce/tree.hpp"

namespace pat::algorithm_reduce_knomial {
namespace {

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.variant = knomial_degree(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const int top = problem.commutative ? problem.root : 0;
  return reduce::build_tree_reduce(
      problem, {.tree = ranked_knomial(problem.ranks, top, knomial_degree(problem))});
}

double flat_s(const CostTerms& t) {
  const int k = knomial_degree(t.problem);
  return (k - 1) * t.levels(k) * (t.alpha + t.n * (t.beta + t.gamma));
}

}  // namespace

PAT_ALGORITHM(reduce, knomial) {
  return {.operation = Operation::reduce,
          .name = "knomial",
          .idea = "k-nomial tree in rank order, k = 2 unless set, whole vectors",
          .cost = "(k-1) ceil(log_k P)(alpha + m beta + m gamma)",
          .flat_s = flat_s,
          .source = "seed 003, turned round",
          .build = build,
          .tune = tune,
          .on_demand = true};
}

}  // namespace pat::algorithm_reduce_knomial
