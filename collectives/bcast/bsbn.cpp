// Background sorted binomial tree: as sbn, and the vector lands and is passed on in the background
// before a process arrives.
// Cost (equal arrivals): ceil(log2 P) (alpha + m beta); P processes, m bytes of the vector, alpha
//   start-up time of a message, beta transfer time per byte.
// Source: after the background sorted binomial scatter of seed 001 Section 4.

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_bcast_bsbn {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return bcast::build_tree_bcast(
      problem,
      {.tree = ordered_binomial(arrival_order(pattern), problem.root), .background = true});
}

}  // namespace

PAT_ALGORITHM(bcast, bsbn) {
  return {.operation = Operation::bcast,
          .name = "bsbn",
          .idea = "as sbn; data lands and is passed on before a process arrives",
          .cost = "ceil(log2 P)(alpha + m beta)",
          .flat_s = [](const CostTerms& t) { return t.levels() * (t.alpha + t.n * t.beta); },
          .source = "after seed 001, Section 4",
          .build = build,
          .uses_pattern = true,
          .background = true};
}

}  // namespace pat::algorithm_bcast_bsbn
