// K-ary tree: everyone who has the vector sends it to k others, level by level, in rank order from
// the root.
// Cost (equal arrivals): at most k h (alpha + m beta); h levels below the root, the least with
//   1 + k + ... + k^h >= P; P processes, m bytes of the vector, alpha start-up time of a message,
//   beta transfer time per byte.
// Variant: k, from 1 to P - 1; unless set, the k up to 8 with the least k h (kary_degree()). Were h
// = log_k P, that
//   would be least at k = e, so 3 (seed 003); by whole levels 2 is often as good.
// Source: seed 003 (broadcast, k-ary tree; its h = ceil(log_k P) is the height of a tree whose last
//   level has P processes, not of one with P in all).

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/degree.hpp"

namespace pat::algorithm_bcast_kary {
namespace {

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.variant = kary_degree(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return bcast::build_tree_bcast(
      problem, {.tree = ranked_kary(problem.ranks, problem.root, kary_degree(problem))});
}

double flat_s(const CostTerms& t) {
  const int k = kary_degree(t.problem);
  return k * kary_height(t.problem.ranks, k) * (t.alpha + t.n * t.beta);
}

}  // namespace

PAT_ALGORITHM(bcast, kary) {
  return {.operation = Operation::bcast,
          .name = "kary",
          .idea = "k-ary tree in rank order, k by the number of ranks",
          .cost = "k h (alpha + m beta), h levels",
          .flat_s = flat_s,
          .source = "seed 003",
          .build = build,
          .tune = tune,
          .on_demand = true};
}

}  // namespace pat::algorithm_bcast_kary
