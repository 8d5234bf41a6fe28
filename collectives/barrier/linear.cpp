// Linear: all tell rank 0 that they have come, which then tells all.
// Cost (equal arrivals): 2 (P - 1) alpha; P processes, alpha start-up time of a message.
// Source: seed 003, Algorithm 3.1 (BarrierCentralCounter).

#include "collectives/algorithm.hpp"
#include "collectives/barrier/signals.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_barrier_linear {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  std::vector<int> ranks;
  for (int rank = 0; rank < problem.ranks; ++rank) ranks.push_back(rank);
  return barrier::up_and_down(
      problem, lay_out(ranks, [&](int number) {
        return number == 0 ? std::vector<int>(ranks.begin() + 1, ranks.end()) : std::vector<int>();
      }));
}

}  // namespace

PAT_ALGORITHM(barrier, linear) {
  return {.operation = Operation::barrier,
          .name = "linear",
          .idea = "all tell rank 0, which then tells all",
          .cost = "2(P-1) alpha",
          .flat_s = [](const CostTerms& t) { return 2 * (t.P - 1) * t.alpha; },
          .source = "seed 003, Algorithm 3.1",
          .build = build};
}

}  // namespace pat::algorithm_barrier_linear
