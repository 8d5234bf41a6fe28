#include "collectives/patterns/two_tree.hpp"

#include <algorithm>

namespace pat {
namespace {

int most_even(int low, int high) {  // the position in [low, high] that 2 divides most often
  int step = 1;
  while ((low + step - 1) / step * step + step <= high) step *= 2;
  return (low + step - 1) / step * step;
}

}  // namespace

void TwoTrees::measure(std::vector<Node>& nodes, int here) {
  for (const int child : {nodes[here].left, nodes[here].right}) {
    if (child == 0) continue;
    measure(nodes, child);
    nodes[here].height = std::max(nodes[here].height, nodes[child].height + 1);
  }
}

/// In-order binary tree over [low, high]: odd positions are leaves.
int TwoTrees::build_tree(std::vector<Node>& nodes, int low, int high, int parent) {
  if (low > high) return 0;
  const int here = most_even(low, high);
  nodes[here].parent = parent;
  nodes[here].left = build_tree(nodes, low, here - 1, here);
  nodes[here].right = build_tree(nodes, here + 1, high, here);
  return here;
}

/// The same tree moved up by one position, so that the leaves become inner nodes; position 1 is a
/// leaf in front of all.
std::vector<TwoTrees::Node> TwoTrees::moved_tree(int positions) {
  std::vector<Node> inner(positions + 1), nodes(positions + 1);
  if (positions > 1) build_tree(inner, 1, positions - 1, 0);
  const auto up = [](int position) { return position == 0 ? 0 : position + 1; };
  for (int p = 1; p < positions; ++p)
    nodes[p + 1] = {up(inner[p].parent), up(inner[p].left), up(inner[p].right)};
  if (positions > 1) {
    nodes[2].left = 1;  // position 2 is the first leaf of the moved tree
    nodes[1].parent = 2;
  }
  return nodes;
}

TwoTrees::TwoTrees(int places) : places_(places) {
  const int positions = places - 1;
  nodes_[0].resize(static_cast<std::size_t>(positions) + 1);
  build_tree(nodes_[0], 1, positions, 0);
  nodes_[1] = moved_tree(positions);
  for (std::vector<Node>& tree : nodes_)
    for (int p = 1; p <= positions; ++p)
      if (tree[p].parent == 0) {
        measure(tree, p);
        height_ = std::max(height_, tree[p].height);
      }
}

/// Place 0 receives from the tops of both trees, which span the places 1 to P - 1.
std::vector<TwoTrees::Step> TwoTrees::upwards(int place, int segments) const {
  std::vector<Step> steps;
  for (int segment = 0; segment < segments; ++segment) {
    const std::vector<Node>& nodes = nodes_[segment % 2];
    const auto receive = [&](int child, OperandSide side) {
      if (child > 0)
        steps.push_back({segment + 2 * nodes[child].height + 1, segment, child, false, side});
    };
    if (place == 0) {
      for (int other = 1; other < places_; ++other)
        if (nodes[other].parent == 0) receive(other, OperandSide::right);
      continue;
    }
    receive(nodes[place].left, OperandSide::left);
    receive(nodes[place].right, OperandSide::right);
    steps.push_back({segment + 2 * nodes[place].height, segment, nodes[place].parent, true, {}});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.number < b.number; });
  return steps;
}

std::vector<TwoTrees::Step> TwoTrees::downwards(int place, int segments) const {
  std::vector<Step> steps = upwards(place, segments);
  std::reverse(steps.begin(), steps.end());
  for (Step& step : steps) {
    step.number = this->steps(segments) - 1 - step.number;
    step.segment = segments - 1 - step.segment;
    step.sends = !step.sends;
  }
  return steps;
}

}  // namespace pat
