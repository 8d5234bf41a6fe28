// Ring: in P-1 rounds every block travels once around the ring of ranks; each rank passes on what
// it has just received, from its receive buffer. Cost (equal arrivals): (P - 1)(alpha + n beta); P
// processes, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte. With N segments a block (problem.segments) a
//   rank passes the first on while the second comes: (P - 1)(N alpha + n beta), which pays where
//   blocks differ: one block of n bytes alone takes (P - 2 + N)(alpha + n/N beta).
// Source: Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in
//   MPICH", Section 4.1.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/round_ring.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/rooted_tree.hpp"

namespace pat::algorithm_allgather_ring {
namespace {

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = allgather::pieces_of(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return allgather::build_ring(problem, ranks_from(0, problem.ranks),
                               allgather::pieces_of(problem));
}

}  // namespace

PAT_ALGORITHM(allgather, ring) {
  return {.operation = Operation::allgather,
          .name = "ring",
          .idea = "every block travels once around the ring of ranks",
          .cost = "(P-1)(N alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.N * t.alpha + t.n * t.beta); },
          .source = "Thakur, Rabenseifner, Gropp 2005, Section 4.1",
          .build = build,
          .tune = tune};
}

}  // namespace pat::algorithm_allgather_ring
