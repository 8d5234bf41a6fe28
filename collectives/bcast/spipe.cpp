// Sorted pipeline: a chain that begins at the root and goes on in the order of arrivals, so that
// who comes last is waited for by nobody.
// Cost (equal arrivals): as pipeline, (P + N - 2)(alpha + m/N beta); P processes, m bytes of the
//   vector, N segments, alpha start-up time of a message, beta transfer time per byte. The one that
//   comes last, when the others are done: m beta + N alpha from then on.
// Source: own, after the chain of Proficz 2018 (see allreduce/slt.cpp) and seed 003.

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_bcast_spipe {
namespace {

int segments_of(const Problem& problem) {
  return problem.segments > 0 ? problem.segments : bcast::chain_segments(problem);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = segments_of(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const int segments = segments_of(problem);
  const std::vector<int> order = arrival_order(pattern);
  return bcast::build_tree_bcast(
      problem, {.tree = bcast::chain_of(order, problem.root), .segments = segments});
}

}  // namespace

PAT_ALGORITHM(bcast, spipe) {
  return {
      .operation = Operation::bcast,
      .name = "spipe",
      .idea = "segments pass through a chain in the order of arrivals",
      .cost = "(P+N-2)(alpha + m/N beta)",
      .flat_s = [](const CostTerms& t) { return (t.P + t.N - 2) * (t.alpha + t.n / t.N * t.beta); },
      .source = "after seed 003 and Proficz 2018",
      .build = build,
      .tune = tune,
      .uses_pattern = true};
}

}  // namespace pat::algorithm_bcast_spipe
