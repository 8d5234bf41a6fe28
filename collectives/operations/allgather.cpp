// Allgather: every rank receives the block of every rank, in rank order.
// Source: MPI 4.0, Section 6.7; the decision rule of coll/tuned in Open MPI 4.1.

#include <algorithm>
#include <bit>

#include "collectives/cost/bound.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::operation_allgather {
namespace {

/// What a gather promises its root.
Promised promised(const Problem& problem, int rank, std::size_t unit) {
  return row(Operation::gather).promised(problem, rank, unit);
}

/// An allgather is a gather at every rank at once, so it ends no sooner than the last of these,
/// each bounded as a gather with that root: what arrives at or after a_k must pass the incoming
/// port of every other rank. Besides, a message lets at most one more process hold a part of a
/// block and takes alpha at both ends, so from one process to P it takes as many messages one after
/// another as P has doublings:
///   max over k with bytes of a_k + ceil(log2 P) alpha.
/// Of the gathers the largest is kept: for the latest k blocks that whose root is another process,
/// for all blocks that whose root has the smallest one.
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
             Reach reach) {
  const double doublings = ceil_log2(problem.ranks);
  const double unit_s = static_cast<double>(problem.unit_bytes) * model.beta_s_per_byte;
  const auto block_s = [&](int rank) { return static_cast<double>(problem.block(rank)) * unit_s; };
  const double all_s = static_cast<double>(problem.total()) * unit_s;
  double end_s = 0.0, blocks_s = 0.0, smallest_s = all_s;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const double come_s = pattern.offset_s[rank], others_s = all_s - block_s(rank);
    end_s = std::max(end_s, come_s);
    if (problem.block(rank) > 0) end_s = std::max(end_s, come_s + doublings * model.alpha_s);
    if (reach == Reach::foreground && others_s > 0.0)
      end_s = std::max(end_s, come_s + model.alpha_s + others_s);
    smallest_s = std::min(smallest_s, block_s(rank));
  }
  std::vector<int> order = arrival_order(pattern);
  for (std::size_t k = order.size(); k-- > 0;) {
    blocks_s += block_s(order[k]);
    const double taken_in_s = std::min(blocks_s, all_s - smallest_s);
    if (block_s(order[k]) > 0.0 && taken_in_s > 0.0)
      end_s = std::max(end_s, pattern.offset_s[order[k]] + model.alpha_s + taken_in_s);
  }
  return end_s;
}

/// The library's tables, with one threshold where theirs differ a little between 32 and 512
/// processes. Its recursive doubling is Bruck's algorithm unless P is a power of two.
std::string_view chosen_by_open_mpi(const Problem& problem) {
  const auto ranks = static_cast<unsigned>(problem.ranks);
  const std::size_t bytes = problem.total() * problem.unit_bytes / ranks;
  if (!problem.counts.empty()) return ranks < 32 || bytes < 4096 ? "bruck" : "ring";
  if (ranks < 32 || bytes < 1024)
    return std::has_single_bit(ranks) ? "recursive-doubling" : "bruck";
  return ranks >= 512 || bytes < 65536 ? "neighbour-exchange" : "ring";
}

MpiPrice as_open_mpi(const Problem& problem, const CostModel&) {
  return {&get_algorithm(Operation::allgather, chosen_by_open_mpi(problem)), 0, 1, 1.0, 0.0};
}

}  // namespace

PAT_OPERATION(allgather) {
  return {.operation = Operation::allgather,
          .name = "allgather",
          .rooted = false,
          .combines = false,
          .send = {At::everywhere, Holds::block},
          .recv = {At::everywhere, Holds::all_blocks},
          .promised = promised,
          .bound = bound,
          .stand_in = as_open_mpi,
          .fixed_order = "",
          .v_plain = "",
          .v_aware = "",
          .lands_early = true,
          .parts_travel = false,
          .study = {"bdr", "ring"}};
}

}  // namespace pat::operation_allgather
