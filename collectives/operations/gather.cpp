// Gather: the root receives the block of every rank, in rank order.
// Source: MPI 4.0, Section 6.5; the decision rule of coll/tuned in Open MPI 4.1, the basis of seed
//   001 Table 1.

#include <algorithm>

#include "collectives/cost/bound.hpp"
#include "collectives/cost/leaves.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"

namespace pat::operation_gather {
namespace {

Promised promised(const Problem& problem, int, std::size_t unit) {
  int from = 0;
  for (; unit >= problem.block(from); ++from) unit -= problem.block(from);
  return {from, from + 1, unit};
}

/// Every process leaves after it arrives; the bytes of the ranks that arrive at or after a_k leave
/// their owners no sooner than a_k and must all pass the root's incoming port:
///   max over k other than the root of
///   a_k + alpha + beta * (bytes of the ranks other than the root that arrive at or after a_k);
///   foreground: also a_root + alpha + B beta.
/// The sum over the leaves that arrive at or after a_k grows from one leaf to the next; among equal
/// arrivals the last one has it whole.
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
             Reach reach) {
  const std::vector<Leaf> leaves = leaves_latest_first(problem, pattern);
  double end_s = pattern.offset_s[problem.root], bytes = 0.0;
  if (!leaves.empty() && reach == Reach::foreground)
    end_s += model.alpha_s + total_bytes(leaves) * model.beta_s_per_byte;
  for (const Leaf& leaf : leaves) {
    bytes += leaf.bytes;
    end_s = std::max(end_s, leaf.arrival_s + model.alpha_s + bytes * model.beta_s_per_byte);
  }
  return end_s;
}

/// As docs/reproduction.md, Table 1, finds Open MPI 4.1 to choose.
MpiPrice as_open_mpi(const Problem& problem, const CostModel&) {
  const auto run = [](const char* algorithm, int segments) {
    return MpiPrice{&get_algorithm(Operation::gather, algorithm), segments, 1, 1.0, 0.0};
  };
  constexpr std::size_t small = 1024, large = std::size_t{1} << 19;
  const std::size_t bytes = largest_block_bytes(problem);
  if (!problem.counts.empty()) return run("lin", 0);
  if (problem.ranks >= 8 || bytes < small) return run("bnom", 0);
  return bytes < large ? run("lin", 0) : run("ls", 2);
}

}  // namespace

PAT_OPERATION(gather) {
  return {.operation = Operation::gather,
          .name = "gather",
          .rooted = true,
          .combines = false,
          .send = {At::everywhere, Holds::block},
          .recv = {At::root, Holds::all_blocks},
          .promised = promised,
          .bound = bound,
          .stand_in = as_open_mpi,
          .fixed_order = "",
          .v_plain = "lin",
          .v_aware = "sls",
          .lands_early = true,
          .parts_travel = true,
          .study = {"sls", "ls"}};  // the same star, in the order of arrivals and of ranks
}

}  // namespace pat::operation_gather
