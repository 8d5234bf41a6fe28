// Neighbourhood alltoall: every rank sends a block to each of its neighbours and receives one from
// each, in their order. On a Cartesian topology what is sent to one side of a dimension lands as
// the block of the other side. Source: MPI 4.1, Section 8.6.2 and Example 8.10.

#include <algorithm>
#include <numeric>

#include "collectives/operation_row.hpp"
#include "collectives/operations/neighbours.hpp"

namespace pat::operation_neighbor_alltoall {
namespace {

Promised promised(const Problem& problem, int rank, std::size_t unit) {
  const auto [edge, rest] = neighbours::edge_of_unit(problem, rank, unit);
  const int from = problem.neighbours_of(rank).from[edge];
  const std::vector<std::size_t> sent = problem.exchange_of(from).sent;
  const int theirs = edge_of_sender(problem, rank, static_cast<int>(edge));
  return {from, from + 1, std::accumulate(sent.begin(), sent.begin() + theirs, rest)};
}

}  // namespace

PAT_OPERATION(neighbor_alltoall) {
  return {.operation = Operation::neighbor_alltoall,
          .name = "neighbor-alltoall",
          .rooted = false,
          .combines = false,
          .send = {At::everywhere, Holds::neighbours},
          .recv = {At::everywhere, Holds::neighbours},
          .promised = promised,
          .bound = neighbours::bound,
          .stand_in = neighbours::as_open_mpi,
          .fixed_order = "",
          .v_plain = "lin",
          .v_aware = "latest-last",
          .lands_early = true,
          .parts_travel = false,
          .study = {"latest-last", "lin"}};
}

}  // namespace pat::operation_neighbor_alltoall
