#include "collectives/patterns/among_neighbours.hpp"

#include "collectives/patterns/edges.hpp"

namespace pat::neighbours {
namespace {

/// Every rank sends to its neighbours and receives from them, all at once.
Schedule build_lin(const Problem& problem, const ArrivalPattern&) {
  return build_among_neighbours(problem, [](Edges& edges) {
    edges.receive_all();
    edges.send_all();
  });
}

/// Every rank receives at once and sends in the order in which its neighbours come.
Schedule build_latest_last(const Problem& problem, const ArrivalPattern& pattern) {
  return build_among_neighbours(problem, [&](Edges& edges) {
    edges.receive_all();
    edges.send_all(by_arrival(pattern));
  });
}

/// The same, and what is sent lands before its receiver has come.
Schedule build_b_latest_last(const Problem& problem, const ArrivalPattern& pattern) {
  return build_among_neighbours(problem, [&](Edges& edges) {
    edges.receive_all_early();
    edges.send_all(by_arrival(pattern));
  });
}

}  // namespace

Algorithm lin(Operation operation) {
  return {.operation = operation,
          .name = "lin",
          .idea = "each rank sends to and receives from its neighbours at once",
          .cost = "d (alpha + n beta)",
          .source = "Open MPI, basic",
          .build = build_lin,
          .on_demand = true};
}

Algorithm latest_last(Operation operation) {
  return {.operation = operation,
          .name = "latest-last",
          .idea = "each rank sends to its neighbours in the order in which they come",
          .cost = "d (alpha + n beta)",
          .source = "after seed 001, Section 4.1",
          .build = build_latest_last,
          .uses_pattern = true,
          .on_demand = true};
}

Algorithm b_latest_last(Operation operation) {
  return {.operation = operation,
          .name = "b-latest-last",
          .idea = "as latest-last, and blocks land before their receiver has come",
          .cost = "d (alpha + n beta)",
          .source = "after seed 001, Section 4.1",
          .build = build_b_latest_last,
          .uses_pattern = true,
          .background = true,
          .on_demand = true};
}

}  // namespace pat::neighbours
