// Scatter: every rank receives its block of the root's.
// Source: MPI 4.0, Section 6.6; the decision rule of coll/tuned in Open MPI 4.1, the basis of seed
//   001 Table 1.

#include <algorithm>

#include "collectives/cost/bound.hpp"
#include "collectives/cost/leaves.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"

namespace pat::operation_scatter {
namespace {

Promised promised(const Problem& problem, int rank, std::size_t unit) {
  return {problem.root, problem.root + 1, problem.block_offset(rank) + unit};
}

/// Nothing leaves the root before it arrives, and B bytes must pass its outgoing port:
///   a_root + alpha + B beta;
///   foreground: also a_k + alpha + n_k beta for each k other than the root, for its own block must
///   pass its incoming port. (The blocks of others that arrive later need not: they may have moved
///   to a relay before.)
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
             Reach reach) {
  const std::vector<Leaf> leaves = leaves_latest_first(problem, pattern);
  double end_s = pattern.offset_s[problem.root];
  if (leaves.empty()) return end_s;
  end_s += model.alpha_s + total_bytes(leaves) * model.beta_s_per_byte;
  if (reach == Reach::any) return end_s;
  for (const Leaf& leaf : leaves)
    end_s = std::max(end_s, leaf.arrival_s + model.alpha_s + leaf.bytes * model.beta_s_per_byte);
  return end_s;
}

/// As docs/reproduction.md, Table 1, finds Open MPI 4.1 to choose.
MpiPrice as_open_mpi(const Problem& problem, const CostModel&) {
  const std::size_t most = problem.ranks >= 8 ? 16384 : 2048;
  const bool tree = problem.counts.empty() && largest_block_bytes(problem) <= most;
  return {&get_algorithm(Operation::scatter, tree ? "bnom" : "lin"), 0, 1, 1.0, 0.0};
}

}  // namespace

PAT_OPERATION(scatter) {
  return {.operation = Operation::scatter,
          .name = "scatter",
          .rooted = true,
          .combines = false,
          .send = {At::root, Holds::all_blocks},
          .recv = {At::everywhere, Holds::block},
          .promised = promised,
          .bound = bound,
          .stand_in = as_open_mpi,
          .fixed_order = "",
          .v_plain = "lin",
          .v_aware = "slin",
          .lands_early = true,
          .parts_travel = false,
          .study = {"slin", "lin"}};  // the same star, in the order of arrivals and of ranks
}

}  // namespace pat::operation_scatter
