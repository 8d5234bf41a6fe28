// Reduce-scatter: the vectors of all ranks are combined element by element, and every rank receives
// its block of the result. MPI_Reduce_scatter_block is the form with blocks of one length,
// MPI_Reduce_scatter that with blocks of any.
// Source: MPI 4.0, Section 6.10.

#include <algorithm>

#include "collectives/cost/bound.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::operation_reduce_scatter {
namespace {

Promised promised(const Problem& problem, int rank, std::size_t unit) {
  return {0, problem.ranks, problem.block_offset(rank) + unit};
}

/// What a process gives to the blocks of others leaves it after it has come, and a message lets at
/// most one more process have something of it, until the d others that have a block do:
///   max over k of a_k + max(alpha + (m - n_k) beta, ceil(log2(d + 1)) alpha), where d > 0.
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model, Reach) {
  double end_s = 0.0;
  int with_block = 0;
  for (int rank = 0; rank < problem.ranks; ++rank) with_block += problem.block(rank) > 0;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const int others = with_block - (problem.block(rank) > 0);
    if (others == 0) continue;
    const double bytes =
        static_cast<double>((problem.total() - problem.block(rank)) * problem.unit_bytes);
    const double leaves_s = std::max(model.alpha_s + bytes * model.beta_s_per_byte,
                                     ceil_log2(others + 1) * model.alpha_s);
    end_s = std::max(end_s, pattern.offset_s[rank] + leaves_s);
  }
  return end_s;
}

}  // namespace

PAT_OPERATION(reduce_scatter) {
  return {.operation = Operation::reduce_scatter,
          .name = "reduce-scatter",
          .rooted = false,
          .combines = true,
          .send = {At::everywhere, Holds::all_blocks},
          .recv = {At::everywhere, Holds::block},
          .promised = promised,
          .bound = bound,
          .stand_in = fastest_without_pattern,
          .fixed_order = "pairwise",
          .v_plain = "",
          .v_aware = "",
          .lands_early = false,
          .parts_travel = false,
          .study = {"late-last", "pairwise"}};
}

}  // namespace pat::operation_reduce_scatter
