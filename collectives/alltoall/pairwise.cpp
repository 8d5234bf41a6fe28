// Pairwise: in step k each rank sends to the one k places on and receives from the one k places
// before, and goes on when both are done: one message comes in and one goes out at a time.
// Cost (equal arrivals): (P - 1)(alpha + n beta); P processes, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte.
// Source: Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in
//   MPICH", Section 4.3.

#include "collectives/algorithm.hpp"
#include "collectives/alltoall/blocks.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_alltoall_pairwise {
namespace {

void build_rank(const Problem& problem, int rank, Program& program) {
  const int ranks = problem.ranks;
  alltoall::Exchanges exchanges(problem, rank, program);
  for (int step = 1; step < ranks; ++step)
    exchanges.in_turn((rank + step) % ranks, (rank - step + ranks) % ranks, step - 1);
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(alltoall, pairwise) {
  return {.operation = Operation::alltoall,
          .name = "pairwise",
          .idea = "one step after the other, each rank sends to one and receives from one",
          .cost = "(P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "Thakur, Rabenseifner, Gropp 2005, Section 4.3",
          .build = build};
}

}  // namespace pat::algorithm_alltoall_pairwise
