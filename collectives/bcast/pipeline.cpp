// Pipeline: the ranks form a chain that begins at the root; the vector passes through it in N
// segments.
// Cost (equal arrivals): (P + N - 2)(alpha + m/N beta); P processes, m bytes of the vector, alpha
//   start-up time of a message, beta transfer time per byte. N = sqrt((P - 2) m beta / alpha) makes
//   that least.
// Source: seed 003 (broadcast, pipeline).

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_bcast_pipeline {
namespace {

int segments_of(const Problem& problem) {
  return problem.segments > 0 ? problem.segments : bcast::chain_segments(problem);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = segments_of(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  std::vector<int> from_root(static_cast<std::size_t>(problem.ranks));
  for (int i = 0; i < problem.ranks; ++i) from_root[i] = (problem.root + i) % problem.ranks;
  return bcast::build_tree_bcast(problem, {.tree = bcast::chain_of(from_root, problem.root),
                                           .segments = segments_of(problem)});
}

}  // namespace

PAT_ALGORITHM(bcast, pipeline) {
  return {
      .operation = Operation::bcast,
      .name = "pipeline",
      .idea = "segments pass through a chain of all ranks",
      .cost = "(P+N-2)(alpha + m/N beta)",
      .flat_s = [](const CostTerms& t) { return (t.P + t.N - 2) * (t.alpha + t.n / t.N * t.beta); },
      .source = "seed 003",
      .build = build,
      .tune = tune};
}

}  // namespace pat::algorithm_bcast_pipeline
