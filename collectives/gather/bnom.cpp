// Binomial gather: blocks are collected pairwise, in rank order from the root.
// Cost (equal arrivals): ceil(log2 P) alpha + (P - 1) n beta, exact if P is a power of two; P
//   processes, n bytes of one block, alpha start-up time of a message, beta transfer time per byte.
// Layout: rank order counted from the root, so every subtree is a run of blocks. The root receives
//   into the user's buffer; only the one subtree that wraps around the buffer's end is staged.
// Source: seed 001 Section 2.1, Eqs. 7, 8, 21 and 23.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/gather/tree.hpp"

namespace pat::algorithm_gather_bnom {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return gather::build_tree_gather(
      problem, {.tree = ranked_binomial(problem.ranks, problem.root), .one_by_one = true});
}

}  // namespace

PAT_ALGORITHM(gather, bnom) {
  return {
      .operation = Operation::gather,
      .name = "bnom",
      .idea = "binomial tree in rank order",
      .cost = "ceil(log2 P) alpha + (P-1) n beta",
      .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha + (t.P - 1) * t.n * t.beta; },
      .source = "seed 001, Section 2.1, Eqs. 7, 8, 21, 23",
      .build = build,
      .needs_all_counts = true};
}

}  // namespace pat::algorithm_gather_bnom
