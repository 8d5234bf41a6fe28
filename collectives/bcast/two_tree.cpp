// Two trees: the even segments go down one binary tree, the odd ones down another; nobody has
// children in both, and everybody receives and sends one segment a step (patterns/two_tree.hpp).
// Cost (equal arrivals): at most (N + 2 q)(alpha + m/N beta); q = ceil(log2 P), P processes, m
// bytes
//   of the vector, N segments, alpha start-up time of a message, beta transfer time per byte.
//   N = sqrt(2 q m beta / alpha) makes that least.
// Source: Sanders, Speck, Traeff 2009, "Two-tree algorithms for full bandwidth broadcast, reduction
//   and scan"; seed 004 Table 3.

#include "collectives/patterns/two_tree.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::algorithm_bcast_two_tree {
namespace {

int segments_of(const Problem& problem) {
  if (problem.segments > 0) return problem.segments;
  return segments_for_two_trees(bcast::segments_through(problem, 2 * ceil_log2(problem.ranks)));
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = segments_of(problem)};
}

void build_rank(const Problem& problem, const TwoTrees& trees, int rank, Program& program) {
  const int place = (rank - problem.root + problem.ranks) % problem.ranks;
  const int segments = segments_of(problem);
  const Buffer buffer = place == 0 ? Buffer::send : Buffer::recv;
  OpIds here(static_cast<std::size_t>(segments), program.join());
  OpId last_send = here[0], last_receive = here[0];
  for (const TwoTrees::Step& step : trees.downwards(place, segments)) {
    const int peer = (step.peer + problem.root) % problem.ranks;
    const auto round = static_cast<std::uint32_t>(step.number);
    const Slice piece = part_of({buffer, 0, problem.units}, segments, step.segment);
    if (piece.length == 0) continue;
    if (step.sends) {
      last_send = program.send(peer, piece, {here[step.segment], last_send}, round);
      program.ops[last_send].segment = static_cast<std::uint32_t>(step.segment);
    } else {  // one at a time: one that came too early would hold the port
      here[step.segment] = program.recv(peer, piece, {last_receive}, round);
      last_receive = here[step.segment];
    }
  }
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const TwoTrees trees(problem.ranks);
  return build_ranks(
      problem, [&](int rank, Program& program) { build_rank(problem, trees, rank, program); });
}

}  // namespace

PAT_ALGORITHM(bcast, two_tree) {
  return {.operation = Operation::bcast,
          .name = "two-tree",
          .idea = "even and odd segments go down two binary trees",
          .cost = "(N + 2 ceil(log2 P))(alpha + m/N beta)",
          .flat_s =
              [](const CostTerms& t) {
                return (t.N + 2 * t.levels()) * (t.alpha + t.n / t.N * t.beta);
              },
          .source = "Sanders, Speck, Traeff 2009",
          .build = build,
          .tune = tune,
          .on_demand = true};
}

}  // namespace pat::algorithm_bcast_two_tree
