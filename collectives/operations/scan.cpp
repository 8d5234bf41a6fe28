// Scan: every rank receives its own vector combined with those of the ranks before it.
// Source: MPI 4.0, Section 6.11.1; Open MPI 4.1 (mca_coll_basic_scan_intra).

#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/scan/prefix.hpp"

namespace pat::operation_scan {
namespace {

Promised promised(const Problem&, int rank, std::size_t unit) {
  return {0, rank + 1, unit};
}

/// A chain of all ranks, whatever the size: coll/basic. The tuned component has another way, which
/// it takes by rules of the user's alone (ompi_info --param coll tuned --level 9).
MpiPrice as_open_mpi(const Problem&, const CostModel&) {
  return {&get_algorithm(Operation::scan, "lin"), 0, 1, 1.0, 0.0};
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
          .stand_in = as_open_mpi,
          .fixed_order = "recursive-doubling",
          .v_plain = "",
          .v_aware = "",
          .lands_early = false,
          .parts_travel = false,
          .study = {"", ""}};
}

}  // namespace pat::operation_scan
