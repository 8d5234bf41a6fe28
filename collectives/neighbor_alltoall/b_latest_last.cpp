// Background latest last: every rank sends to its neighbours in the order in which they come, and
// what is sent lands before its receiver has come.
// Cost (equal arrivals): d (alpha + n beta); d neighbours, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte. A process that is later than its neighbours by
//   that has all theirs when it comes.
// Source: our own; after the background sorted linear scatter of seed 001 Section 4.1, one at every
//   rank.

#include "collectives/algorithm.hpp"
#include "collectives/patterns/edges.hpp"

namespace pat {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return build_among_neighbours(problem, [&](Edges& edges) {
    edges.receive_all_early();
    edges.send_all(by_arrival(pattern));
  });
}

}  // namespace

PAT_ALGORITHM(neighbor_alltoall, b_latest_last) {
  return {.operation = Operation::neighbor_alltoall,
          .name = "b-latest-last",
          .idea = "as latest-last, and blocks land before their receiver has come",
          .cost = "d (alpha + n beta)",
          .source = "after seed 001, Section 4.1",
          .build = build,
          .uses_pattern = true,
          .background = true,
          .on_demand = true};
}

}  // namespace pat
