#pragma once

// Two binary trees over the places 1 to P - 1, whose tops place 0 talks to: every place has
// children in one of them at most, and the edges have two colours such that a place's two parents
// have different ones, and so have its children. Edges of one colour are used in even steps, those
// of the other in odd ones: then each place sends and receives once a step, and nobody waits for a
// port. The even segments take one tree, the odd ones the other. Source: Sanders, Speck, Traeff
// 2009, Sections 2 and 3; trees in in-order numbering keep the operands' order.

#include <optional>
#include <vector>

#include "collectives/operand_side.hpp"

namespace pat {

class TwoTrees {
 public:
  explicit TwoTrees(int places);

  struct Step {
    int number, segment, peer;
    bool sends;
    OperandSide side;  ///< of what is received, among operands in the order of the places
  };
  /// Their numbers are below this.
  int steps(int segments) const { return segments + latest_ + 1; }
  /// What a place does while segments go up to place 0, in order.
  std::vector<Step> upwards(int place, int segments) const;
  /// And while they go down from place 0 to all.
  std::vector<Step> downwards(int place, int segments) const;

 private:
  /// Where a position lies in its tree; 0: none (a parent of 0 is place 0).
  struct Node {
    int parent = 0, left = 0, right = 0;
    int colour = -1;  // of the edge to its parent
    int step = 0;     // in which its tree's first segment comes down to it
  };
  using Tree = std::vector<Node>;
  static int build_tree(Tree& nodes, int low, int high, int parent);
  static Tree moved_tree(int positions);
  /// From a position to its parent in one of the trees.
  struct Edge {
    int tree, position;
  };
  std::optional<Edge> sibling(const Edge& edge) const;
  void colour_path(const Edge& first, int colour);
  void colour_edges();
  void number_steps();
  template <class Number>
  std::vector<Step> edges_of(int place, int segments, bool down, Number number) const;

  Tree trees_[2];
  int latest_ = 0;  // the last of all Node::step
};

/// As many segments as a cost formula says, which counts the steps of both trees; of two it takes
/// one for both: that goes through one tree, in fewer steps.
inline int segments_for_two_trees(int by_formula) {
  return by_formula == 2 ? 1 : by_formula;
}

}  // namespace pat
