// Binomial scatter: whoever has data halves it and passes one half on, in rank order from the root.
// Cost (equal arrivals): ceil(log2 P) alpha + (P - 1) n beta, exact if P is a power of two; P
//   processes, n bytes of one block, alpha start-up time of a message, beta transfer time per byte.
// Layout: rank order counted from the root, so every subtree is a run of blocks. The root sends
//   from the user's buffer; only the one subtree that wraps around the buffer's end is packed.
// Source: seed 001 Section 2.1, Eqs. 7, 13 and 16.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/scatter/tree.hpp"

namespace pat::algorithm_scatter_bnom {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return scatter::build_tree_scatter(problem,
                                     {ranked_binomial(problem.ranks, problem.root), false});
}

}  // namespace

PAT_ALGORITHM(scatter, bnom) {
  return {
      .operation = Operation::scatter,
      .name = "bnom",
      .idea = "binomial tree in rank order",
      .cost = "ceil(log2 P) alpha + (P-1) n beta",
      .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha + (t.P - 1) * t.n * t.beta; },
      .source = "seed 001, Section 2.1, Eqs. 7, 13, 16",
      .build = build,
      .needs_all_counts = true};
}

}  // namespace pat::algorithm_scatter_bnom
