// K-nomial tree: in each round everyone who has the vector sends it to k - 1 others; rank order,
// counted from the root.
// Cost (equal arrivals): at most (k - 1) ceil(log_k P) (alpha + m beta); P processes, m bytes of
// the
//   vector, alpha start-up time of a message, beta transfer time per byte. Where start-up times do
//   not overlap, as here, no k is better than 2; where another is as good, 2 is taken.
// Variant: k, from 2 to P.
// Source: seed 003 (broadcast, k-nomial tree; derived, as its formula for k = 3 is misprinted).

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_bcast_knomial {
namespace {

/// With k = 2 the last one has it after ceil(log2 P) messages, one after another; none can be
/// sooner.
int k_of(const Problem& problem) {
  if (problem.variant >= 2 && problem.variant <= std::max(2, problem.ranks)) return problem.variant;
  return 2;
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.variant = k_of(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return bcast::build_tree_bcast(
      problem, {.tree = ranked_knomial(problem.ranks, problem.root, k_of(problem))});
}

double flat_s(const CostTerms& t) {
  const int k = k_of(t.problem);
  return (k - 1) * t.levels(k) * (t.alpha + t.n * t.beta);
}

}  // namespace

PAT_ALGORITHM(bcast, knomial) {
  return {.operation = Operation::bcast,
          .name = "knomial",
          .idea = "k-nomial tree in rank order, k by the number of ranks",
          .cost = "(k-1) ceil(log_k P)(alpha + m beta)",
          .flat_s = flat_s,
          .source = "seed 003",
          .build = build,
          .tune = tune};
}

}  // namespace pat::algorithm_bcast_knomial
