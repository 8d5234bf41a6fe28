// Latest last: every rank receives from its neighbours at once and sends in the order in which they
// come, to the latest last. No message waits for another: a wrong forecast costs its place alone.
// Cost (equal arrivals): d (alpha + n beta); d neighbours, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte.
// Source: our own; after the sorted linear trees of seed 001 Section 4.1, one at every rank.

#include "collectives/algorithm.hpp"
#include "collectives/patterns/edges.hpp"

namespace pat {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return build_among_neighbours(problem, [&](Edges& edges) {
    edges.receive_all();
    edges.send_all(by_arrival(pattern));
  });
}

}  // namespace

PAT_ALGORITHM(neighbor_allgather, latest_last) {
  return {.operation = Operation::neighbor_allgather,
          .name = "latest-last",
          .idea = "each rank sends to its neighbours in the order in which they come",
          .cost = "d (alpha + n beta)",
          .source = "after seed 001, Section 4.1",
          .build = build,
          .uses_pattern = true,
          .on_demand = true};
}

}  // namespace pat
