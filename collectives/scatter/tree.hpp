#pragma once

// Scatter along a tree, shared by bnom, sbn and bsbn: every process gets the blocks of its subtree
// as one message, keeps its own and sends its children theirs.

#include "collectives/patterns/rooted_tree.hpp"
#include "collectives/schedule.hpp"

namespace pat::scatter {

struct TreeScatter {
  RootedTree tree;
  bool background = false;  ///< a process receives and forwards before it has arrived
};

/// An inner process stages its subtree in scratch, forwards from there and copies its own block out
/// once. A leaf receives into the user's buffer. The root sends from the user's buffer where the
/// blocks of a child's subtree lie side by side there, else packs them into scratch once. Children
/// are served strictly in turn.
Schedule build_tree_scatter(const Problem& problem, const TreeScatter& plan);

}  // namespace pat::scatter
