// Alltoall: every rank sends a block to every rank and receives one from each, in rank order.
// Source: MPI 4.0, Section 6.8; the decision rule of coll/tuned in Open MPI 4.1
//   (ompi_coll_tuned_alltoall_intra_dec_fixed, ompi_coll_tuned_alltoallv_intra_dec_fixed).

#include <algorithm>
#include <numeric>

#include "collectives/cost/bound.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::operation_alltoall {
namespace {

/// Block s of what a rank receives is its own block of what rank s sends.
Promised promised(const Problem& problem, int rank, std::size_t unit) {
  const auto mine = static_cast<std::size_t>(rank);
  if (!problem.varies()) {
    const std::size_t from = unit / problem.units;
    return {static_cast<int>(from), static_cast<int>(from) + 1,
            mine * problem.units + unit % problem.units};
  }
  const std::vector<std::size_t> received = problem.exchange_of(rank).received;
  int from = 0;
  for (; unit >= received[static_cast<std::size_t>(from)]; ++from)
    unit -= received[static_cast<std::size_t>(from)];
  const std::vector<std::size_t> sent = problem.exchange_of(from).sent;
  return {from, from + 1, std::accumulate(sent.begin(), sent.begin() + rank, unit)};
}

/// The blocks for the others, v bytes, leave each process through its outgoing port after it has
/// come. Where all have as much for each other, v = (P - 1) n > 0, a message lets at most one more
/// process have something of the last one:
///   max over k of a_k + alpha + v_k beta; equal blocks: the last arrival + ceil(log2 P) alpha.
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model, Reach) {
  double end_s = *std::max_element(pattern.offset_s.begin(), pattern.offset_s.end());
  const auto leave_s = [&](std::size_t units) {
    const double bytes = static_cast<double>(units * problem.unit_bytes);
    return model.alpha_s + bytes * model.beta_s_per_byte;
  };
  if (!problem.varies()) {
    if (problem.ranks < 2 || problem.units == 0) return end_s;
    const double doublings_s = ceil_log2(problem.ranks) * model.alpha_s;
    const auto others = static_cast<std::size_t>(problem.ranks - 1);
    return end_s + std::max(leave_s(others * problem.units), doublings_s);
  }
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const std::vector<std::size_t> sent = problem.exchange_of(rank).sent;
    const std::size_t others = std::accumulate(sent.begin(), sent.end(), std::size_t{0}) -
                               sent[static_cast<std::size_t>(rank)];
    if (others > 0) end_s = std::max(end_s, pattern.offset_s[rank] + leave_s(others));
  }
  return end_s;
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

std::string_view chosen_for_varying_counts(int ranks) {
  const bool pairwise = ranks < 4 || (ranks >= 64 && ranks < 128) || (ranks >= 256 && ranks < 1024);
  return pairwise ? "pairwise" : "lin";
}

MpiPrice as_open_mpi(const Problem& problem, const CostModel&) {
  const std::string_view chosen =
      problem.varies() ? chosen_for_varying_counts(problem.ranks)
                       : chosen_by_open_mpi(problem.ranks, largest_block_bytes(problem));
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
          .v_plain = "lin",
          .v_aware = "early-first",
          .lands_early = true,
          .parts_travel = false,
          .study = {"early-first", "pairwise"},
          .library_unasked = true};
}

}  // namespace pat::operation_alltoall
