// Double ring: word goes once around the ring of ranks, after which the last knows that all have
// come, and once more.
// Cost (equal arrivals): 2 (P - 1) alpha; P processes, alpha start-up time of a message. Open MPI's
//   needs 2 P messages one after another, as the last lap there ends where it began.
// Source: seed 003 (barrier algorithms of Open MPI).

#include "collectives/algorithm.hpp"
#include "collectives/barrier/signals.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_barrier_double_ring {
namespace {

void build_rank(int ranks, int rank, Program& program) {
  barrier::Signals signals(program);
  const int next = (rank + 1) % ranks, previous = (rank - 1 + ranks) % ranks;
  const bool first = rank == 0, last = rank == ranks - 1;
  if (!first) signals.hear(previous, 0);
  if (!last) signals.tell(next, 0);
  if (!last) signals.hear(previous, 1);
  if (ranks > 1 && next != ranks - 1) signals.tell(next, 1);
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem.ranks, rank, program); });
}

}  // namespace

PAT_ALGORITHM(barrier, double_ring) {
  return {.operation = Operation::barrier,
          .name = "double-ring",
          .idea = "word goes twice around the ring of ranks",
          .cost = "2(P-1) alpha",
          .flat_s = [](const CostTerms& t) { return 2 * (t.P - 1) * t.alpha; },
          .source = "seed 003, barrier algorithms of Open MPI",
          .build = build};
}

}  // namespace pat::algorithm_barrier_double_ring
