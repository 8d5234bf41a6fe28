// Dissemination: in round k each rank tells the one 2^k on, around the end of the ranks, and hears
// from the one 2^k before: so it knows of twice as many after each.
// Cost (equal arrivals): ceil(log2 P) alpha for any P, the least there is; P processes, alpha
//   start-up time of a message.
// Source: Hensgen, Finkel, Manber 1988, "Two algorithms for barrier synchronization"; seed 003
//   (dissemination); Open MPI names it after Bruck.

#include "collectives/algorithm.hpp"
#include "collectives/barrier/signals.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_barrier_dissemination {
namespace {

void build_rank(int ranks, int rank, Program& program) {
  barrier::Signals signals(program);
  for (int distance = 1, round = 0; distance < ranks; distance *= 2, ++round) {
    signals.tell((rank + distance) % ranks, round);
    signals.hear((rank - distance + ranks) % ranks, round);
  }
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem.ranks, rank, program); });
}

}  // namespace

PAT_ALGORITHM(barrier, dissemination) {
  return {.operation = Operation::barrier,
          .name = "dissemination",
          .idea = "each round tells the rank twice as far on as the last",
          .cost = "ceil(log2 P) alpha",
          .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha; },
          .source = "Hensgen, Finkel, Manber 1988; seed 003",
          .build = build};
}

}  // namespace pat::algorithm_barrier_dissemination
