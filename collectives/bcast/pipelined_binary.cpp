// Pipelined binary tree: segments go down a complete binary tree, each to both children in turn.
// Cost (equal arrivals): at most 2 (h + N - 1)(alpha + m/N beta); h = ceil(log2(P + 1)) - 1 levels
//   below the root, P processes, m bytes of the vector, N segments, alpha start-up time of a
//   message, beta transfer time per byte. N = sqrt((h - 1) m beta / alpha) makes that least. The
//   root sends all twice, so it takes twice the bound where m is large.
// Source: seed 003 (broadcast, pipelined binary tree). Its lower bound there, the min of
//   ceil(log2 P) alpha and m beta, is misprinted: both bound it, so their max does.

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_bcast_pipelined_binary {
namespace {

int segments_of(const Problem& problem) {
  if (problem.segments > 0) return problem.segments;
  return bcast::segments_through(problem, kary_height(problem.ranks, 2) - 1);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = segments_of(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return bcast::build_tree_bcast(problem, {.tree = ranked_kary(problem.ranks, problem.root, 2),
                                           .segments = segments_of(problem)});
}

double flat_s(const CostTerms& t) {
  const int height = kary_height(t.problem.ranks, 2);
  return 2 * (height + t.N - 1) * (t.alpha + t.n / t.N * t.beta);
}

}  // namespace

PAT_ALGORITHM(bcast, pipelined_binary) {
  return {.operation = Operation::bcast,
          .name = "pipelined-binary",
          .idea = "segments go down a binary tree in rank order",
          .cost = "2 (ceil(log2(P+1)) + N - 2)(alpha + m/N beta)",
          .flat_s = flat_s,
          .source = "seed 003",
          .build = build,
          .tune = tune,
          .on_demand = true};
}

}  // namespace pat::algorithm_bcast_pipelined_binary
