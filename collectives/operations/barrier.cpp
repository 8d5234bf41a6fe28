// Barrier: no rank leaves before all have come. It moves no data.
// Source: MPI 4.0, Section 6.3.

#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"

namespace pat {
namespace {

/// Never asked: there are no units.
Promised promised(const Problem&, int, std::size_t) {
  return {0, 0, 0};
}

}  // namespace

PAT_OPERATION(barrier) {
  return {.operation = Operation::barrier,
          .name = "barrier",
          .rooted = false,
          .combines = false,
          .send = {At::nowhere, Holds::block},
          .recv = {At::nowhere, Holds::block},
          .promised = promised,
          .bound = nullptr,
          .stand_in = fastest_without_pattern,
          .fixed_order = "",
          .v_plain = "",
          .v_aware = "",
          .lands_early = false,
          .parts_travel = false,
          .study = {"", ""}};
}

}  // namespace pat
