// K-ary tree: everyone combines the vectors of its k children, level by level, in rank order from
// the root.
// Cost (equal arrivals): at most k h (alpha + m beta + m gamma); h levels below the root, the least
//   with 1 + k + ... + k^h >= P; P processes, m bytes of the vector, alpha start-up time of a
//   message, beta transfer and gamma combining time per byte.
// Variant: k, from 1 to P - 1; unless set the k up to 8 with the least k h (kary_degree()).
// Source: seed 003 (k-ary tree, there a broadcast, turned round).

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/degree.hpp"
#include "collectives/reduce/tree.hpp"

namespace pat::algorithm_reduce_kary {
namespace {

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.variant = kary_degree(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return reduce::build_tree_reduce(
      problem, {.tree = ranked_kary(problem.ranks, problem.root, kary_degree(problem))});
}

double flat_s(const CostTerms& t) {
  const int k = kary_degree(t.problem);
  return k * kary_height(t.problem.ranks, k) * (t.alpha + t.n * (t.beta + t.gamma));
}

}  // namespace

PAT_ALGORITHM(reduce, kary) {
  return {.operation = Operation::reduce,
          .name = "kary",
          .idea = "k-ary tree in rank order, k by the number of ranks, whole vectors",
          .cost = "k h (alpha + m beta + m gamma), h levels",
          .flat_s = flat_s,
          .source = "seed 003, turned round",
          .build = build,
          .tune = tune,
          .on_demand = true,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_kary
