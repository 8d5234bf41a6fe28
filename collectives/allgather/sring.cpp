// Sorted ring: the ring in the order of arrivals, in which early blocks are passed on by early
// processes.
// Cost (equal arrivals): (P - 1)(N alpha + n beta); P processes, n bytes of one block in N
//   segments, alpha start-up time of a message, beta transfer time per byte. What a late process
//   lacks still has to pass it block by block: P - 1 rounds after it has come.
// Source: after the sorted ring of Proficz 2018, "Improving all-reduce collective operations for
//   imbalanced process arrival patterns" (there a reduction).

#include "collectives/algorithm.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/allgather/round_ring.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allgather_sring {
namespace {

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = allgather::pieces_of(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return allgather::build_ring(problem, allgather::order_of(problem, pattern),
                               allgather::pieces_of(problem));
}

}  // namespace

PAT_ALGORITHM(allgather, sring) {
  return {.operation = Operation::allgather,
          .name = "sring",
          .idea = "every block travels around a ring in the order of arrivals",
          .cost = "(P-1)(N alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.N * t.alpha + t.n * t.beta); },
          .source = "after Proficz 2018",
          .build = build,
          .tune = tune,
          .uses_pattern = true,
          .on_demand = true};
}

}  // namespace pat::algorithm_allgather_sring
