// Reduce: the root receives the vectors of all ranks, combined element by element.
// Source: MPI 4.0, Section 6.9.1.

#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"

namespace pat::operation_reduce {
namespace {

Promised promised(const Problem& problem, int, std::size_t unit) {
  return {0, problem.ranks, unit};
}

}  // namespace

PAT_OPERATION(reduce) {
  return {.operation = Operation::reduce,
          .name = "reduce",
          .rooted = true,
          .combines = true,
          .send = {At::everywhere, Holds::block},
          .recv = {At::root, Holds::block},
          .promised = promised,
          .bound = nullptr,
          .stand_in = fastest_without_pattern,
          .fixed_order = "bnom",
          .v_plain = "",
          .v_aware = "",
          .lands_early = false,
          .parts_travel = false,
          .study = {"clairvoyant", "bnom"}};  // as seed 004
}

}  // namespace pat::operation_reduce
