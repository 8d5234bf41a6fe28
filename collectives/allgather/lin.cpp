// Linear: every block goes straight from its rank to all others, to the next rank first.
// Cost (equal arrivals): (P - 1)(alpha + n beta); P processes, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte. All messages meet on the network.
// Source: Open MPI's basic linear allgather is a gather and a broadcast; this is what MPI 4.0,
//   Section 6.7, says an allgather is.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/straight.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/rooted_tree.hpp"

namespace pat::algorithm_allgather_lin {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return allgather::build_straight(problem, {.order = ranks_from(0, problem.ranks)});
}

}  // namespace

PAT_ALGORITHM(allgather, lin) {
  return {.operation = Operation::allgather,
          .name = "lin",
          .idea = "every block goes straight to all others",
          .cost = "(P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "MPI 4.0, Section 6.7",
          .build = build,
          .on_demand = true};
}

}  // namespace pat::algorithm_allgather_lin
