// Binomial tree: in step k the ranks whose bit k is set send their whole partial result to the rank
// without it and leave.
// Cost (equal arrivals): ceil(log2 P) (alpha + m beta + m gamma); P processes, m bytes of the
//   vector, alpha start-up time of a message, beta transfer and gamma combining time per byte. An
//   operation that does not commute, with a root other than 0: alpha + m beta more.
// Source: seed 004 Section 5.5.1, Table 3; seed 002 (Binomial-stat).

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/power_of_two.hpp"
#include "collectives/reduce/partials.hpp"

namespace pat::algorithm_reduce_bnom {
namespace {

/// Ranks counted from the tree's own root: the caller's root, or rank 0 where operands must keep
/// their order.
void build_rank(const Problem& problem, int rank, Program& program) {
  const int tree_root = problem.commutative ? problem.root : 0;
  const int place = (rank - tree_root + problem.ranks) % problem.ranks;
  const auto at = [&](int other) { return (other + tree_root) % problem.ranks; };
  reduce::Partials partials(problem, rank, program, 1);
  std::uint32_t step = 0;
  for (int bit = 1; bit < problem.ranks; bit *= 2, ++step) {
    if (place & bit) {
      partials.send(at(place - bit), 0, step);
      break;
    }
    if (place + bit < problem.ranks)
      partials.combine(at(place + bit), 0,
                       problem.commutative ? reduce::Side::either : reduce::Side::right, step);
  }
  if (tree_root != problem.root) {
    const auto last = static_cast<std::uint32_t>(ceil_log2(problem.ranks));
    if (rank == tree_root) partials.send(problem.root, 0, last);
    if (rank == problem.root) partials.replace(tree_root, 0, last);
  }
  partials.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(reduce, bnom) {
  return {.operation = Operation::reduce,
          .name = "bnom",
          .idea = "binomial tree, whole vectors, operands in rank order",
          .cost = "ceil(log2 P) (alpha + m beta + m gamma)",
          .flat_s =
              [](const CostTerms& t) { return t.levels() * (t.alpha + t.n * (t.beta + t.gamma)); },
          .source = "seed 004, Section 5.5.1, Table 3",
          .build = build};
}

}  // namespace pat::algorithm_reduce_bnom
