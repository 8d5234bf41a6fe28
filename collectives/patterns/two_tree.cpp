#include "collectives/patterns/two_tree.hpp"

#include <algorithm>
#include <utility>

namespace pat {
namespace {

int most_even(int low, int high) {  // the position in [low, high] that 2 divides most often
  int step = 1;
  while ((low + step - 1) / step * step + step <= high) step *= 2;
  return (low + step - 1) / step * step;
}

}  // namespace

/// In-order binary tree over [low, high]: odd positions are leaves, even ones are not.
int TwoTrees::build_tree(std::vector<Node>& nodes, int low, int high, int parent) {
  if (low > high) return 0;
  const int here = most_even(low, high);
  nodes[here].parent = parent;
  nodes[here].left = build_tree(nodes, low, here - 1, here);
  nodes[here].right = build_tree(nodes, here + 1, high, here);
  return here;
}

/// With an even number of positions the leaves become inner nodes.
std::vector<TwoTrees::Node> TwoTrees::mirrored(const std::vector<Node>& nodes) {
  const int positions = static_cast<int>(nodes.size()) - 1;
  const auto other = [&](int p) { return p == 0 ? 0 : positions + 1 - p; };
  std::vector<Node> made(nodes.size());
  for (int p = 1; p <= positions; ++p)
    made[other(p)] = {other(nodes[p].parent), other(nodes[p].right), other(nodes[p].left)};
  return made;
}

/// With an odd number the tree of one position less, moved up by one. Position 1 is put between
/// position 2, a leaf, and its parent.
std::vector<TwoTrees::Node> TwoTrees::moved(int positions) {
  std::vector<Node> inner(static_cast<std::size_t>(positions)),
      made(static_cast<std::size_t>(positions) + 1);
  build_tree(inner, 1, positions - 1, 0);
  const auto up = [](int position) { return position == 0 ? 0 : position + 1; };
  for (int p = 1; p < positions; ++p)
    made[p + 1] = {up(inner[p].parent), up(inner[p].left), up(inner[p].right)};
  if (positions == 1) return made;
  const int parent = std::exchange(made[2].parent, 1);
  made[1] = {parent, 0, 2};
  if (parent != 0) made[parent].left = 1;
  return made;
}

/// The edge that shares a place with it: the one to that place in the other tree, or the other one
/// that leaves its parent. A place of 0: none.
TwoTrees::Edge TwoTrees::neighbour(const Edge& edge, bool of_the_place) {
  if (of_the_place) return {1 - edge.tree, edge.place};
  const int parent = at(edge).parent;
  if (parent == 0) return {1 - edge.tree, top_[1 - edge.tree]};
  const Node& above = at({edge.tree, parent});
  return {edge.tree, above.left == edge.place ? above.right : above.left};
}

/// Colours the path that begins with a coloured edge.
void TwoTrees::colour_from(Edge edge, bool of_the_place) {
  for (;; of_the_place = !of_the_place) {
    const Edge next = neighbour(edge, of_the_place);
    if (next.place == 0 || at(next).colour >= 0) return;
    at(next).colour = 1 - at(edge).colour;
    edge = next;
  }
}

/// Every place has an edge to its parent in each tree, and at most two to children: the edges that
/// share a place form paths and circles of even length.
void TwoTrees::colour() {
  const auto from = [&](const Edge& edge) {
    if (at(edge).colour >= 0) return;
    at(edge).colour = 0;
    colour_from(edge, true);
    colour_from(edge, false);
  };
  from({0, top_[0]});
  for (int place = 1; place < static_cast<int>(nodes_[0].size()); ++place) from({0, place});
}

/// `after`: the step in which the segment has come to the parent.
void TwoTrees::number_steps(int tree, int place, int after) {
  if (place == 0) return;
  Node& node = at({tree, place});
  node.step = after + 1;
  if (node.step % 2 != node.colour) ++node.step;
  last_ = std::max(last_, node.step);
  number_steps(tree, node.left, node.step);
  number_steps(tree, node.right, node.step);
}

TwoTrees::TwoTrees(int places) {
  const int positions = places - 1;
  if (positions == 0) {
    nodes_[0].resize(1);
    nodes_[1].resize(1);
    return;
  }
  nodes_[0].resize(static_cast<std::size_t>(places));
  build_tree(nodes_[0], 1, positions, 0);
  nodes_[1] = positions % 2 == 0 ? mirrored(nodes_[0]) : moved(positions);
  for (const int tree : {0, 1})
    for (int p = 1; p <= positions; ++p)
      if (nodes_[tree][p].parent == 0) top_[tree] = p;
  colour();
  for (const int tree : {0, 1}) number_steps(tree, top_[tree], -1);
}

std::vector<TwoTrees::Step> TwoTrees::walk(int place, int segments, bool up) const {
  std::vector<Step> steps;
  for (int segment = 0; segment < segments; ++segment) {
    const std::vector<Node>& nodes = nodes_[segment % 2];
    const auto add = [&](int edge, int peer, bool sends, OperandSide side) {
      const int first = up ? last_ - nodes[edge].step : nodes[edge].step;
      steps.push_back({first + segment - segment % 2, segment, peer, sends, side});
    };
    const auto meet = [&](int child) {
      if (child > 0) add(child, child, !up, child < place ? OperandSide::left : OperandSide::right);
    };
    if (place == 0) {
      meet(top_[segment % 2]);
      continue;
    }
    meet(nodes[place].left);
    meet(nodes[place].right);
    add(place, nodes[place].parent, up, OperandSide::either);
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.number < b.number; });
  return steps;
}

}  // namespace pat
