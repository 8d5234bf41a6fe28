// Linear reduction: all send their vectors to the root, which combines them in rank order.
// Cost (equal arrivals): at most (P - 1)(alpha + m beta + m gamma); P processes, m bytes of the
//   vector, alpha start-up time of a message, beta transfer and gamma combining time per byte.
// Source: Open MPI's basic linear reduction; seed 003 lists it among the trees.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce/partials.hpp"

namespace pat::algorithm_reduce_lin {
namespace {

using reduce::Side;

/// Operands that keep their order come from the root's neighbours on, below it and then above.
void build_rank(const Problem& problem, int rank, Program& program) {
  const int ranks = problem.ranks, root = problem.root;
  reduce::Partials partials(problem, rank, program, 1);
  if (rank != root) partials.send(root, 0);
  if (rank == root && problem.commutative)
    for (int i = 1; i < ranks; ++i) partials.combine((root + i) % ranks, 0);
  if (rank == root && !problem.commutative) {
    for (int below = root - 1; below >= 0; --below) partials.combine(below, 0, Side::left);
    for (int above = root + 1; above < ranks; ++above) partials.combine(above, 0, Side::right);
  }
  partials.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(reduce, lin) {
  return {
      .operation = Operation::reduce,
      .name = "lin",
      .idea = "the root combines the vectors of all in rank order",
      .cost = "(P-1)(alpha + m beta + m gamma)",
      .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * (t.beta + t.gamma)); },
      .source = "Open MPI, basic linear",
      .build = build,
      .on_demand = true};
}

}  // namespace pat::algorithm_reduce_lin
