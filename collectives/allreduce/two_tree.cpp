// Two trees: the even segments go up one binary tree to rank 0 and down again, the odd ones
//   another; nobody has children in both, see bcast/two_tree.cpp.
// Cost (equal arrivals): at most (2 N + 4 q)(alpha + m/N beta) + 2 m gamma; q = ceil(log2 P), P
//   processes, m bytes of the vector, N segments, alpha start-up time of a message, beta transfer
//   and gamma combining time per byte. N = sqrt(2 q m beta / alpha) makes that least.
// Source: Sanders, Speck, Traeff 2009, "Two-tree algorithms for full bandwidth broadcast, reduction
//   and scan"; seed 004 Table 3.

#include "collectives/patterns/two_tree.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/allreduce/chain.hpp"
#include "collectives/allreduce/vector.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::algorithm_allreduce_two_tree {
namespace {

using reduce::Parts;
using reduce::Side;

int segments_of(const Problem& problem) {
  if (problem.segments > 0) return problem.segments;
  return segments_for_two_trees(allreduce::chain_segments(problem, 2 * ceil_log2(problem.ranks)));
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = segments_of(problem)};
}

void build_rank(const Problem& problem, const TwoTrees& trees, int rank, Program& program) {
  const int segments = segments_of(problem);
  allreduce::Vector vector(problem, program, segments);
  vector.keep_order();
  const auto rounds = static_cast<std::uint32_t>(trees.steps(segments));
  for (const TwoTrees::Step& step : trees.upwards(rank, segments)) {
    const Parts piece{step.segment, step.segment + 1};
    const auto round = static_cast<std::uint32_t>(step.number);
    if (step.sends)
      vector.send(step.peer, piece, round);
    else
      vector.combine(step.peer, piece, problem.commutative ? Side::either : step.side, round);
  }
  for (const TwoTrees::Step& step : trees.downwards(rank, segments)) {
    const Parts piece{step.segment, step.segment + 1};
    const std::uint32_t round = rounds + static_cast<std::uint32_t>(step.number);
    if (step.sends)
      vector.send(step.peer, piece, round);
    else
      vector.receive(step.peer, piece, round);
  }
  vector.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const TwoTrees trees(problem.ranks);
  return build_ranks(
      problem, [&](int rank, Program& program) { build_rank(problem, trees, rank, program); });
}

}  // namespace

PAT_ALGORITHM(allreduce, two_tree) {
  return {.operation = Operation::allreduce,
          .name = "two-tree",
          .idea = "even and odd segments go up two binary trees and down again",
          .cost = "2 (N + 2 ceil(log2 P))(alpha + m/N beta) + 2 m gamma",
          .flat_s =
              [](const CostTerms& t) {
                return 2 * (t.N + 2 * t.levels()) * (t.alpha + t.n / t.N * t.beta) +
                       2 * t.n * t.gamma;
              },
          .source = "Sanders, Speck, Traeff 2009",
          .build = build,
          .tune = tune,
          .on_demand = true};
}

}  // namespace pat::algorithm_allreduce_two_tree
