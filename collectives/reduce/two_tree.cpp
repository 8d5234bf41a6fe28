// Two trees: the even segments go up one binary tree, the odd ones up another; nearly every rank is
// a leaf in one and an inner node in the other, so that all of them receive and send all the time.
// Cost (equal arrivals): at most 4 h alpha + 4 sqrt(h alpha beta m/2) + m beta + 2 m gamma with the
//   best number of segments; h = ceil(log2 P) - 1, P processes, m bytes of the vector, alpha
//   start-up time of a message, beta transfer and gamma combining time per byte. The formula lets
//   an inner node combine while it sends, which simulate does not: there up to 1.35 times as much.
//   An operation that does not commute, with a root other than 0: the segments are passed on by
//   rank 0, up to one message more each.
// Source: seed 004 Table 3 (Sanders, Speck, Traeff); trees in in-order numbering keep the operands'
//   order.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/power_of_two.hpp"
#include "collectives/patterns/two_tree.hpp"
#include "collectives/reduce/partials.hpp"
#include "collectives/reduce/segments.hpp"

namespace pat::algorithm_reduce_two_tree {
namespace {

using reduce::Side;

int segments_of(const Problem& problem) {
  return reduce::segments_through(problem, 2.0 * std::max(1, ceil_log2(problem.ranks) - 1));
}

void build_rank(const Problem& problem, const TwoTrees& trees, int rank, Program& program) {
  const int top = problem.commutative ? problem.root : 0;
  const int place = (rank - top + problem.ranks) % problem.ranks;
  const int segments = segments_of(problem);
  reduce::Partials partials(problem, rank, program, segments);
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

/// As simulated, where an inner node does not combine while it sends: about 1.5 (N + levels) steps.
double flat_s(const CostTerms& t) {
  const double N = t.segments_or_best(2 * std::max(1.0, t.levels() - 1), true);
  return 1.5 * (N + t.levels()) * (t.alpha + t.n / N * t.beta) + 4 * t.n * t.gamma;
}

}  // namespace

PAT_ALGORITHM(reduce, two_tree) {
  return {.operation = Operation::reduce,
          .name = "two-tree",
          .idea = "even and odd segments go up two binary trees",
          .cost =
              "up to 1.35 times (4 h alpha + 4 sqrt(h alpha beta m/2) + m beta + 2 m gamma), h = "
              "ceil(log2 P)-1",
          .flat_s = flat_s,
          .source = "seed 004, Table 3",
          .build = build};
}

}  // namespace pat::algorithm_reduce_two_tree
