// Neighbourhood allgather: every rank receives the block of each of its neighbours, in their order.
// Source: MPI 4.1, Section 8.6.1.

#include <algorithm>

#include "collectives/operation_row.hpp"
#include "collectives/operations/neighbours.hpp"

namespace pat::operation_neighbor_allgather {
namespace {

Promised promised(const Problem& problem, int rank, std::size_t unit) {
  const auto [edge, rest] = neighbours::edge_of_unit(problem, rank, unit);
  const int from = problem.neighbours_of(rank).from[edge];
  return {from, from + 1, rest};
}

}  // namespace

PAT_OPERATION(neighbor_allgather) {
  return {.operation = Operation::neighbor_allgather,
          .name = "neighbor-allgather",
          .rooted = false,
          .combines = false,
          .send = {At::everywhere, Holds::block},
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

}  // namespace pat::operation_neighbor_allgather
