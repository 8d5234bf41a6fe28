// Linear: every rank sends its block to its neighbours and receives from them, all at once.
// Cost (equal arrivals): d (alpha + n beta); d neighbours, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte.
// Source: Open MPI's basic neighbourhood allgather; MPI 4.1, Section 8.6.1 (what it is).

#include "collectives/algorithm.hpp"
#include "collectives/patterns/edges.hpp"

namespace pat {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_among_neighbours(problem, [](Edges& edges) {
    edges.receive_all();
    edges.send_all();
  });
}

}  // namespace

PAT_ALGORITHM(neighbor_allgather, lin) {
  return {.operation = Operation::neighbor_allgather,
          .name = "lin",
          .idea = "each rank sends to and receives from its neighbours at once",
          .cost = "d (alpha + n beta)",
          .source = "Open MPI, basic",
          .build = build,
          .on_demand = true};
}

}  // namespace pat
