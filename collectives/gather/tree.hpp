#pragma once

// Gather along a tree, shared by bnom, sbn and bsbn: every process takes in the blocks of its
// children's subtrees, puts its own in front and sends all of them on as one message.

#include "collectives/patterns/rooted_tree.hpp"
#include "collectives/schedule.hpp"

namespace pat::gather {

struct TreeGather {
  RootedTree tree;
  bool one_by_one =
      false;  ///< a process takes its children strictly in turn, the last served first
  bool background = false;  ///< a process receives before it has arrived
};

/// An inner process stages its subtree in scratch: its own block is copied there once, the others
/// arrive there. A leaf sends from the user's buffer. The root receives into the user's buffer
/// where the blocks of a child's subtree lie side by side there, else into scratch, and copies
/// once.
Schedule build_tree_gather(const Problem& problem, const TreeGather& plan);

}  // namespace pat::gather
