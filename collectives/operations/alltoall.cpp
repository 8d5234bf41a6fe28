// Alltoall: every rank sends a block to every rank and receives one from each, in rank order.
// Source: MPI 4.0, Section 6.8; the decision rule of coll/tuned in Open MPI 4.1
//   (ompi_coll_tuned_alltoall_intra_dec_fixed).

#include <algorithm>

#include "collectives/cost/bound.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat {
namespace {

/// Block s of what a rank receives is its own block of what rank s sends.
Promised promised(const Problem& problem, int rank, std::size_t unit) {
  const int from = static_cast<int>(unit / problem.units);
  return {from, from + 1, problem.block_offset(rank) + unit % problem.units};
}

/// P - 1 blocks leave the last process through its outgoing port after it has come, and a message
/// lets at most one more process have something of it:
///   the last arrival + max(alpha + (P - 1) n beta, ceil(log2 P) alpha).
/// The same holds for all others, who come before.
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model, Reach) {
  const double last_s = *std::max_element(pattern.offset_s.begin(), pattern.offset_s.end());
  if (problem.ranks < 2 || problem.units == 0) return last_s;
  const double bytes =
      static_cast<double>(problem.units * problem.unit_bytes) * (problem.ranks - 1);
  const double doublings = ceil_log2(problem.ranks);
  return last_s +
         std::max(model.alpha_s + bytes * model.beta_s_per_byte, doublings * model.alpha_s);
}

/// The library's tables, with one threshold where theirs change more than once; its synchronised
/// linear alltoall is priced as lin.
std::string_view chosen_by_open_mpi(int ranks, std::size_t bytes) {
  const std::size_t bruck = ranks < 16     ? 0
                            : ranks < 64   ? 512
                            : ranks < 512  ? 1024
                            : ranks < 2048 ? 512
                            : ranks < 4096 ? 1024
                                           : 2048;
  if (bytes < bruck) return "bruck";
  if (ranks < 8) return bytes >= 524288 && bytes < 1048576 ? "pairwise" : "lin";
  if (ranks < 64 || ranks >= 1024) return "lin";
  return bytes < (ranks >= 256 && ranks < 512 ? 32768u : 262144u) ? "lin" : "pairwise";
}

MpiPrice as_open_mpi(const Problem& problem, const CostModel&) {
  const std::string_view chosen = chosen_by_open_mpi(problem.ranks, largest_block_bytes(problem));
  return {&get_algorithm(Operation::alltoall, chosen), 0, 1, 1.0, 0.0};
}

}  // namespace

PAT_OPERATION(alltoall) {
  return {.operation = Operation::alltoall,
          .name = "alltoall",
          .rooted = false,
          .combines = false,
          .send = {At::everywhere, Holds::all_blocks},
          .recv = {At::everywhere, Holds::all_blocks},
          .promised = promised,
          .bound = bound,
          .stand_in = as_open_mpi,
          .fixed_order = "",
          .v_plain = "",
          .v_aware = "",
          .lands_early = true,
          .parts_travel = false,
          .study = {"early-first", "pairwise"}};
}

}  // namespace pat
