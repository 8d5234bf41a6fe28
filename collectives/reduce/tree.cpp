#include "collectives/reduce/tree.hpp"

#include "collectives/reduce/partials.hpp"

namespace pat::reduce {
namespace {

void build_rank(const Problem& problem, const TreeReduce& plan, int rank, Program& program) {
  const RootedTree::Node& node = plan.tree.nodes[plan.tree.place_of[rank]];
  const auto rank_at = [&](int place) { return plan.tree.nodes[place].rank; };
  const Side side = problem.commutative ? Side::either : Side::right;
  Partials partials(problem, rank, program, plan.segments);
  for (int segment = 0; segment < plan.segments; ++segment) {
    const auto round = static_cast<std::uint32_t>(segment);
    for (std::size_t i = node.children.size(); i-- > 0;)
      partials.combine(rank_at(node.children[i]), segment, side, round);
    if (node.parent >= 0) partials.send(rank_at(node.parent), segment, round);
  }
  const int top = rank_at(0);
  for (int segment = 0; segment < plan.segments && top != problem.root; ++segment) {
    const auto round = static_cast<std::uint32_t>(plan.segments + segment);
    if (rank == top) partials.send(problem.root, segment, round);
    if (rank == problem.root) partials.replace(top, segment, round);
  }
  partials.finish();
}

}  // namespace

Schedule build_tree_reduce(const Problem& problem, const TreeReduce& plan) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, plan, rank, program); });
}

}  // namespace pat::reduce
