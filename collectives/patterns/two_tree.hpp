#pragma once

// Two binary trees over the places 1 to P - 1, whose tops place 0 talks to: every place is a leaf
// in one and an inner node in the other, so that all of them receive and send all the time. The
// even segments take one, the odd ones the other. Source: Sanders, Speck, Traeff 2009, "Two-tree
// algorithms for full bandwidth broadcast, reduction and scan"; trees in in-order numbering keep
// the operands' order.

#include <vector>

#include "collectives/operand_side.hpp"

namespace pat {

class TwoTrees {
 public:
  explicit TwoTrees(int places);

  /// One send or receive. In one step a place sends at most one message and receives at most one.
  struct Step {
    int number, segment, peer;
    bool sends;
    OperandSide side;  ///< of what is received, among operands in the order of the places
  };
  /// Their numbers are below this: about 2 ceil(log2 P) - 1 more than there are segments.
  int steps(int segments) const { return segments + last_; }
  /// What a place does while segments go up to place 0, in order.
  std::vector<Step> upwards(int place, int segments) const { return walk(place, segments, true); }
  /// The same played backwards: they go down to all.
  std::vector<Step> downwards(int place, int segments) const {
    return walk(place, segments, false);
  }

 private:
  /// Where a position lies in its tree; 0: none (a parent of 0 is the top). The edge to the parent
  /// has one of two colours, such that no place has two edges of one colour to its children, or to
  /// its two parents. On its way down a segment takes it in a step of that parity.
  struct Node {
    int parent = 0, left = 0, right = 0;
    int colour = -1;
    int step = 0;  // on the way down, of the tree's first segment
  };
  /// The edge from a place to its parent in one of the trees.
  struct Edge {
    int tree, place;
  };

  static int build_tree(std::vector<Node>& nodes, int low, int high, int parent);
  static std::vector<Node> mirrored(const std::vector<Node>& nodes);
  static std::vector<Node> moved(int positions);
  Node& at(const Edge& edge) { return nodes_[edge.tree][static_cast<std::size_t>(edge.place)]; }
  Edge neighbour(const Edge& edge, bool of_the_place);
  void colour_from(Edge edge, bool of_the_place);
  void colour();
  void number_steps(int tree, int place, int after);
  std::vector<Step> walk(int place, int segments, bool up) const;

  int top_[2] = {0, 0};
  int last_ = 0;  // the last step of the trees' first segments
  std::vector<Node> nodes_[2];
};

}  // namespace pat
