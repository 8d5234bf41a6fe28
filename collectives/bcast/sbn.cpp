// Sorted binomial tree: ranks are served in the order of arrivals, so early ones have the large
// subtrees and late ones are leaves.
// Cost (equal arrivals): ceil(log2 P) (alpha + m beta); P processes, m bytes of the vector, alpha
//   start-up time of a message, beta transfer time per byte.
// Source: after the sorted binomial scatter of seed 001 Section 4.

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_bcast_sbn {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return bcast::build_tree_bcast(problem,
                                 {.tree = ordered_binomial(arrival_order(pattern), problem.root)});
}

}  // namespace

PAT_ALGORITHM(bcast, sbn) {
  return {.operation = Operation::bcast,
          .name = "sbn",
          .idea = "binomial tree, early ranks inside, late ones at the leaves",
          .cost = "ceil(log2 P)(alpha + m beta)",
          .flat_s = [](const CostTerms& t) { return t.levels() * (t.alpha + t.n * t.beta); },
          .source = "after seed 001, Section 4",
          .build = build,
          .uses_pattern = true};
}

}  // namespace pat::algorithm_bcast_sbn
