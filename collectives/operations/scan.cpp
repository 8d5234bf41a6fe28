// Scan: every rank receives its own vector combined with those of the ranks before it.
// Source: MPI 4.0, Section 6.11.1.

#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/scan/prefix.hpp"

namespace pat {
namespace {

Promised promised(const Problem&, int rank, std::size_t unit) {
  return {0, rank + 1, unit};
}

}  // namespace

PAT_OPERATION(scan) {
  return {.operation = Operation::scan,
          .name = "scan",
          .rooted = false,
          .combines = true,
          .send = {At::everywhere, Holds::block},
          .recv = {At::everywhere, Holds::block},
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
