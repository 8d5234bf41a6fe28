// Pipeline: as lin, in N segments, of which a rank passes one on while the next comes.
// Cost (equal arrivals): (P + N - 2)(alpha + m/N (beta + gamma)); P processes, m bytes of the
//   vector, N segments, alpha start-up time of a message, beta transfer and gamma combining time
//   per byte. N = sqrt((P - 2) m (beta + gamma) / alpha) makes that least.
// Source: seed 004 Table 3 has it as a reduction; a chain passes every prefix on its way.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce/segments.hpp"
#include "collectives/scan/chain.hpp"

namespace pat::algorithm_exscan_pipeline {
namespace {

int segments_of(const Problem& problem) {
  return reduce::segments_through(problem, problem.ranks - 2);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = segments_of(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return scan::build_chain(problem, segments_of(problem), scan::Prefix::exclusive);
}

}  // namespace

PAT_ALGORITHM(exscan, pipeline) {
  return {.operation = Operation::exscan,
          .name = "pipeline",
          .idea = "segments pass through a chain of all ranks",
          .cost = "(P+N-2)(alpha + m/N (beta + gamma))",
          .flat_s = [](const CostTerms& t) { return t.combining_chain_s(); },
          .source = "seed 004, Table 3",
          .build = build,
          .tune = tune};
}

}  // namespace pat::algorithm_exscan_pipeline
