#pragma once

// Two binary trees over the places 1 to P - 1, whose tops place 0 talks to: nearly every place is a
// leaf in one and an inner node in the other, so that all of them receive and send all the time.
// The even segments take one, the odd ones the other. Source: Marendic et al. 2016 Table 3
// (Sanders, Speck, Traeff 2009); trees in in-order numbering keep the operands' order.

#include <vector>

#include "collectives/operand_side.hpp"

namespace pat {

class TwoTrees {
 public:
  explicit TwoTrees(int places);

  /// One send or receive. Segment s leaves a node of height h in step s + 2 h, as an inner node
  /// takes two of them in for every one that it sends: without such an order a rank's message as a
  /// leaf would wait for its work as an inner node.
  struct Step {
    int number, segment, peer;
    bool sends;
    OperandSide side;  ///< of what is received, among operands in the order of the places
  };
  /// Their numbers are below this.
  int steps(int segments) const { return segments + 2 * height_ + 1; }
  /// What a place does while segments go up to place 0, in order.
  std::vector<Step> upwards(int place, int segments) const;
  /// The same played backwards: they go down to all.
  std::vector<Step> downwards(int place, int segments) const;

 private:
  /// Where a position lies in its tree; 0: none (a parent of 0 is the top).
  struct Node {
    int parent = 0, left = 0, right = 0;
    int height = 0;  // above the lowest leaf
  };
  static void measure(std::vector<Node>& nodes, int here);
  static int build_tree(std::vector<Node>& nodes, int low, int high, int parent);
  static std::vector<Node> moved_tree(int positions);

  int places_;
  int height_ = 0;  // of the higher tree
  std::vector<Node> nodes_[2];
};

}  // namespace pat
