// Broadcast: every other rank receives the root's vector.
// Source: MPI 4.0, Section 6.4.

#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"

namespace pat {
namespace {

Promised promised(const Problem& problem, int, std::size_t unit) {
  return {problem.root, problem.root + 1, unit};
}

}  // namespace

PAT_OPERATION(bcast) {
  return {.operation = Operation::bcast,
          .name = "bcast",
          .rooted = true,
          .combines = false,
          .send = {At::root, Holds::block},
          .recv = {At::others, Holds::block},
          .promised = promised,
          .bound = nullptr,
          .stand_in = fastest_without_pattern,
          .fixed_order = "",
          .v_plain = "",
          .v_aware = "",
          .lands_early = true,
          .parts_travel = false,
          .study = {"", ""}};
}

}  // namespace pat
