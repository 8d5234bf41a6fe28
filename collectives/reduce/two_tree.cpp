// Two trees: the even segments go up one binary tree, the odd ones up another; nobody has children
// in both, and everybody receives and sends one segment a step (patterns/two_tree.hpp).
// Cost (equal arrivals): at most (N + 2 q)(alpha + m/N (beta + gamma)); q = ceil(log2 P),
//   P processes, m bytes of the vector, N segments, alpha start-up time of a message, beta transfer
//   and gamma combining time per byte. N = sqrt(2 q m (beta + gamma) / alpha) makes that least.
//   Messages that ask for their receiver keep to the steps, since one that came too early would
//   hold the port; others need not, and are faster if they do not (docs/clairvoyant.md).
//   An operation that does not commute, with a root other than 0: the segments are passed on by
//   rank 0, up to one message more each.
// Source: seed 004 Table 3 (Sanders, Speck, Traeff 2009); trees in in-order numbering keep the
//   operands' order.

#include "collectives/patterns/two_tree.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/pieces.hpp"
#include "collectives/patterns/power_of_two.hpp"
#include "collectives/reduce/partials.hpp"
#include "collectives/reduce/segments.hpp"

namespace pat::algorithm_reduce_two_tree {
namespace {

using reduce::Side;

int segments_of(const Problem& problem) {
  if (problem.segments > 0) return problem.segments;
  return segments_for_two_trees(reduce::segments_through(problem, 2.0 * ceil_log2(problem.ranks)));
}

void build_rank(const Problem& problem, const TwoTrees& trees, int rank, Program& program) {
  const int top = problem.commutative ? problem.root : 0;
  const int place = (rank - top + problem.ranks) % problem.ranks;
  const int segments = segments_of(problem);
  reduce::Partials partials(problem, rank, program, segments);
  if (!leaves_unasked(problem, problem.block_bytes() / segments)) partials.keep_rounds();
  for (const TwoTrees::Step& step : trees.upwards(place, segments)) {
    const int peer = (step.peer + top) % problem.ranks;
    const auto round = static_cast<std::uint32_t>(step.number);
    const Side side = problem.commutative ? Side::either : step.side;
    if (step.sends)
      partials.send(peer, step.segment, round);
    else
      partials.combine(peer, step.segment, side, round);
  }
  if (top != problem.root && (rank == top || rank == problem.root))
    for (int segment = 0; segment < segments; ++segment) {
      if (rank == top)
        partials.send(problem.root, segment);
      else
        partials.replace(top, segment);
    }
  partials.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const TwoTrees trees(problem.ranks);
  return build_ranks(
      problem, [&](int rank, Program& program) { build_rank(problem, trees, rank, program); });
}

double flat_s(const CostTerms& t) {
  const double hops = 2 * t.levels(), N = t.segments_or_best(hops, true);
  return (N + hops) * (t.alpha + t.n / N * (t.beta + t.gamma));
}

}  // namespace

PAT_ALGORITHM(reduce, two_tree) {
  return {.operation = Operation::reduce,
          .name = "two-tree",
          .idea = "even and odd segments go up two binary trees",
          .cost = "(N + 2 ceil(log2 P))(alpha + m/N (beta + gamma))",
          .flat_s = flat_s,
          .source = "seed 004, Table 3",
          .build = build};
}

}  // namespace pat::algorithm_reduce_two_tree
