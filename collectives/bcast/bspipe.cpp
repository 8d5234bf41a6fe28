// Background sorted pipeline: as spipe, and segments land and are passed on in the background
// before a process arrives. Cost (equal arrivals): (P + N - 2)(alpha + m/N beta); P processes, m
// bytes of the vector, N
//   segments, alpha start-up time of a message, beta transfer time per byte. The one that comes
//   last, when the others are done, finds the vector there.
// Source: own, after spipe and the background trees of seed 001 Section 4.

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_bcast_bspipe {
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
      problem,
      {.tree = bcast::chain_of(order, problem.root), .segments = segments, .background = true});
}

}  // namespace

PAT_ALGORITHM(bcast, bspipe) {
  return {
      .operation = Operation::bcast,
      .name = "bspipe",
      .idea = "as spipe; segments land and are passed on before a process arrives",
      .cost = "(P+N-2)(alpha + m/N beta)",
      .flat_s = [](const CostTerms& t) { return (t.P + t.N - 2) * (t.alpha + t.n / t.N * t.beta); },
      .source = "after seed 003 and seed 001, Section 4",
      .build = build,
      .tune = tune,
      .uses_pattern = true,
      .background = true};
}

}  // namespace pat::algorithm_bcast_bspipe
