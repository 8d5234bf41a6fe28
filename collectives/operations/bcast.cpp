// Broadcast: every other rank receives the root's vector.
// Source: MPI 4.0, Section 6.4; the decision rule of coll/tuned in Open MPI 4.1
//   (ompi_coll_tuned_bcast_intra_dec_fixed).

#include <algorithm>

#include "collectives/cost/bound.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::operation_bcast {
namespace {

Promised promised(const Problem& problem, int, std::size_t unit) {
  return {problem.root, problem.root + 1, unit};
}

/// Every other process receives all of the vector after the root has come, and a message lets at
/// most one more process have a part of it:
///   a_root + alpha + m beta, a_root + ceil(log2 P) alpha; foreground: also a_k + alpha + m beta
///   for every other k.
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
             Reach reach) {
  if (problem.ranks < 2 || problem.units == 0) return 0.0;
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const double message_s = model.alpha_s + bytes * model.beta_s_per_byte;
  const double doublings = ceil_log2(problem.ranks);
  double end_s = pattern.offset_s[problem.root] + std::max(message_s, doublings * model.alpha_s);
  for (int rank = 0; reach == Reach::foreground && rank < problem.ranks; ++rank)
    if (rank != problem.root) end_s = std::max(end_s, pattern.offset_s[rank] + message_s);
  return end_s;
}

/// The library's tables for up to 1023 processes; its binary and k-nomial trees are priced as
/// knomial, its chains as pipeline in one segment.
std::string_view chosen_by_open_mpi(const Problem& problem) {
  const int ranks = problem.ranks;
  const std::size_t bytes = largest_block_bytes(problem);
  if (ranks < 4) {
    if (bytes < 32 || (bytes >= 256 && bytes < 512) || (bytes >= 131072 && bytes < 262144))
      return "pipeline";
    const bool linear = (bytes >= 1024 && bytes < 32768) || (bytes >= 262144 && bytes < 524288);
    return linear ? "lin" : "knomial";
  }
  if (ranks < 8) return bytes < 8192 ? "knomial" : bytes < 1048576 ? "lin" : "pipeline";
  if (ranks < 16) return bytes < 32768 ? "knomial" : "lin";
  if (ranks < 32) return bytes < 1048576 ? "knomial" : "scatter-allgather";
  return "knomial";
}

MpiPrice as_open_mpi(const Problem& problem, const CostModel&) {
  return {&get_algorithm(Operation::bcast, chosen_by_open_mpi(problem)), 1, 1, 1.0, 0.0};
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
          .bound = bound,
          .stand_in = as_open_mpi,
          .fixed_order = "",
          .v_plain = "",
          .v_aware = "",
          .lands_early = true,
          .parts_travel = false,
          .study = {"sbn", "knomial"}};
}

}  // namespace pat::operation_bcast
