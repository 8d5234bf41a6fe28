// Tree-dyn: who is ready says so where the slot is, and goes together with who is there already.
// Cost (equal arrivals): about ceil(log2 P) (5 alpha + m beta + m gamma); P processes, m bytes of
//   the vector, alpha start-up time of a message, beta transfer and gamma combining time per byte.
// Source: seed 002 Section 3.2 (Tree-dyn). Its one slot needs a memory that all can look into; here
//   the root keeps it for up to 64 processes, and beyond there are groups of about sqrt(P) with a
//   slot each, so that nobody reads a letter of everybody. Who keeps a slot may be late
//   itself: then the rules of Local Redirect go on without it. docs/non-clairvoyant.md.

#include "collectives/algorithm.hpp"
#include "collectives/dynamic/play.hpp"
#include "collectives/patterns/power_of_two.hpp"
#include "collectives/reduce/redirect.hpp"

namespace pat::algorithm_reduce_tree_dyn {
namespace {

/// So many share one slot; more have groups.
constexpr int most_in_slot = 64;

/// A power of two: as many as there are, or the next after the square root.
int group_of(const Problem& problem) {
  const int doublings = ceil_log2(problem.ranks);
  return 1 << (problem.ranks <= most_in_slot ? doublings : (doublings + 1) / 2);
}

std::unique_ptr<Protocol> protocol(const Problem& problem, int rank) {
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const double patience_s = 4 * problem.cost.alpha_s + problem.cost.round_s(bytes) / 16;
  return redirect::make(redirect::Trees::slots(problem, group_of(problem)), rank, patience_s);
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return to_schedule(play(protocol, problem, pattern), problem, 1);
}

}  // namespace

PAT_ALGORITHM(reduce, tree_dyn) {
  return {.operation = Operation::reduce,
          .name = "tree-dyn",
          .idea = "a slot where those who are ready meet, two at a time",
          .cost = "about ceil(log2 P) (5 alpha + m beta + m gamma)",
          .source = "seed 002, Section 3.2; docs/non-clairvoyant.md",
          .build = build,
          .protocol = protocol,
          .uses_pattern = true,
          .on_demand = true,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_tree_dyn
