// Linear: every rank sends to all others and receives from all at once, from its neighbour on.
// Cost (equal arrivals): (P - 1)(alpha + n beta); P processes, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte. All messages meet on the network.
// Source: Open MPI's basic linear alltoall; MPI 4.0, Section 6.8 (what an alltoall is).

#include "collectives/algorithm.hpp"
#include "collectives/alltoall/blocks.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_alltoall_lin {
namespace {

void build_rank(const Problem& problem, int rank, Program& program) {
  const int ranks = problem.ranks;
  alltoall::Exchanges exchanges(problem, rank, program);
  for (int distance = 1; distance < ranks; ++distance)
    exchanges.at_once((rank + distance) % ranks, (rank - distance + ranks) % ranks);
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(alltoall, lin) {
  return {.operation = Operation::alltoall,
          .name = "lin",
          .idea = "each rank sends to and receives from all others at once",
          .cost = "(P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "Open MPI, basic linear",
          .build = build};
}

}  // namespace pat::algorithm_alltoall_lin
