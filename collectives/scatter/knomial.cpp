// K-nomial scatter: whoever has data keeps one k-th of it and passes the others on, in rank order
// from the root.
// Cost (equal arrivals): (k - 1) ceil(log_k P) alpha + (P - 1) n beta, exact if P is a power of k;
//   P processes, n bytes of one block, alpha start-up time of a message, beta transfer time per
//   byte.
//   With k > 2 fewer levels than the binomial tree, more messages: it pays where start-up times
//   overlap, which they do not in this model.
// Variant: k, from 2 to P; unless set 2, the best by this formula (knomial_degree()), also where
//   counts differ, which a leaf does not know. Then it is bnom.
// Layout: as bnom.
// Source: seed 003 (k-nomial tree) and seed 001 Section 2.1.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/degree.hpp"
#include "collectives/scatter/tree.hpp"

namespace pat::algorithm_scatter_knomial {
namespace {

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.variant = knomial_degree(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return scatter::build_tree_scatter(
      problem, {.tree = ranked_knomial(problem.ranks, problem.root, knomial_degree(problem))});
}

double flat_s(const CostTerms& t) {
  const int k = knomial_degree(t.problem);
  return (k - 1) * t.levels(k) * t.alpha + (t.P - 1) * t.n * t.beta;
}

}  // namespace

PAT_ALGORITHM(scatter, knomial) {
  return {.operation = Operation::scatter,
          .name = "knomial",
          .idea = "k-nomial tree in rank order, k = 2 unless set",
          .cost = "(k-1) ceil(log_k P) alpha + (P-1) n beta",
          .flat_s = flat_s,
          .source = "seed 003; seed 001, Section 2.1",
          .build = build,
          .tune = tune,
          .on_demand = true,
          .needs_all_counts = true};
}

}  // namespace pat::algorithm_scatter_knomial
