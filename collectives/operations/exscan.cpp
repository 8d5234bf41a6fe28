// Exscan: every rank but rank 0 receives the vectors of the ranks before it, combined.
// Source: MPI 4.0, Section 6.11.2.

#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/scan/prefix.hpp"

namespace pat {
namespace {

Promised promised(const Problem&, int rank, std::size_t unit) {
  return {0, rank, unit};
}

}  // namespace

PAT_OPERATION(exscan) {
  return {.operation = Operation::exscan,
          .name = "exscan",
          .rooted = false,
          .combines = true,
          .send = {At::everywhere, Holds::block},
          .recv = {At::after_first, Holds::block},
          .promised = promised,
          .bound = scan::bound,
          .stand_in = fastest_without_pattern,
          .fixed_order = "recursive-doubling",
          .v_plain = "",
          .v_aware = "",
          .lands_early = false,
          .parts_travel = false,
          .study = {"", ""}};
}

}  // namespace pat
