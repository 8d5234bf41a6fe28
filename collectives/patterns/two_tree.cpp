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

/// In-order binary tree over [low, high]: odd positions are leaves.
int TwoTrees::build_tree(Tree& nodes, int low, int high, int parent) {
  if (low > high) return 0;
  const int here = most_even(low, high);
  nodes[here].parent = parent;
  nodes[here].left = build_tree(nodes, low, here - 1, here);
  nodes[here].right = build_tree(nodes, here + 1, high, here);
  return here;
}

/// The same tree moved up by one position, so that the leaves become inner nodes, under position 1.
TwoTrees::Tree TwoTrees::moved_tree(int positions) {
  Tree inner(positions), nodes(positions + 1);
  const int top = build_tree(inner, 1, positions - 1, 0);
  const auto up = [](int position) { return position == 0 ? 0 : position + 1; };
  for (int p = 1; p < positions; ++p)
    nodes[p + 1] = {p == top ? 1 : up(inner[p].parent), up(inner[p].left), up(inner[p].right)};
  nodes[1].right = up(top);
  nodes[0].right = 1;
  return nodes;
}

TwoTrees::TwoTrees(int places) {
  const int positions = places - 1;
  if (positions == 0) {
    trees_[0] = trees_[1] = Tree(1);
    return;
  }
  trees_[0].resize(static_cast<std::size_t>(positions) + 1);
  trees_[0][0].right = build_tree(trees_[0], 1, positions, 0);
  trees_[1] = moved_tree(positions);
  colour_edges();
  number_steps();
}

/// The other one with the same parent; place 0 is above both trees.
std::optional<TwoTrees::Edge> TwoTrees::sibling(const Edge& edge) const {
  const int parent = trees_[edge.tree][edge.position].parent;
  if (parent == 0) return Edge{1 - edge.tree, trees_[1 - edge.tree][0].right};
  const Node& above = trees_[edge.tree][parent];
  const int other = above.left == edge.position ? above.right : above.left;
  if (other == 0) return std::nullopt;
  return Edge{edge.tree, other};
}

/// An edge has one neighbour where it is sent and one where it is received: they form paths and
/// circles of even length, along which the colours take turns.
void TwoTrees::colour_path(const Edge& first, int colour) {
  std::vector<std::pair<Edge, int>> next = {{first, colour}};
  while (!next.empty()) {
    const auto [edge, own] = next.back();
    next.pop_back();
    Node& node = trees_[edge.tree][edge.position];
    if (node.colour >= 0) continue;
    node.colour = own;
    next.push_back({{1 - edge.tree, edge.position}, 1 - own});
    if (const auto other = sibling(edge)) next.push_back({*other, 1 - own});
  }
}

/// Place 0 begins with an even segment.
void TwoTrees::colour_edges() {
  colour_path({0, trees_[0][0].right}, 0);
  for (int position = 1; position < static_cast<int>(trees_[0].size()); ++position)
    colour_path({0, position}, 0);
}

/// Passed on in the next step of the edge's colour.
void TwoTrees::number_steps() {
  for (Tree& nodes : trees_) {
    std::vector<int> next = {nodes[0].right};
    nodes[next[0]].step = nodes[next[0]].colour;
    while (!next.empty()) {
      const Node& node = nodes[next.back()];
      next.pop_back();
      latest_ = std::max(latest_, node.step);
      for (const int child : {node.left, node.right}) {
        if (child == 0) continue;
        nodes[child].step = node.step + (nodes[child].colour == node.colour ? 2 : 1);
        next.push_back(child);
      }
    }
  }
}

/// All that a place has to do with all segments, by number(segment, who is below).
template <class Number>
std::vector<TwoTrees::Step> TwoTrees::edges_of(int place, int segments, bool down,
                                               Number number) const {
  std::vector<Step> steps;
  for (int segment = 0; segment < segments; ++segment) {
    const Tree& nodes = trees_[segment % 2];
    const Node& node = nodes[place];
    if (node.left > 0)
      steps.push_back(
          {number(segment, nodes[node.left]), segment, node.left, down, OperandSide::left});
    if (node.right > 0)
      steps.push_back(
          {number(segment, nodes[node.right]), segment, node.right, down, OperandSide::right});
    if (place > 0) steps.push_back({number(segment, node), segment, node.parent, !down, {}});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.number < b.number; });
  return steps;
}

std::vector<TwoTrees::Step> TwoTrees::downwards(int place, int segments) const {
  return edges_of(place, segments, true,
                  [](int segment, const Node& below) { return segment / 2 * 2 + below.step; });
}

/// The same played backwards.
std::vector<TwoTrees::Step> TwoTrees::upwards(int place, int segments) const {
  return edges_of(place, segments, false, [this](int segment, const Node& below) {
    return segment / 2 * 2 + latest_ - below.step;
  });
}

}  // namespace pat
