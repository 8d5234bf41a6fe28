#pragma once

#include "collectives/patterns/rooted_tree.hpp"
#include "collectives/schedule.hpp"

namespace pat::reduce {

/// A reduction up a tree: every process combines what its children send, segment by segment, those
/// that a scatter would serve last first, and passes the result on to its parent.
struct TreeReduce {
  RootedTree tree;  ///< if its root is not the problem's, it sends the result there at last
  int segments = 1;
};

/// Operands keep their order if every child's subtree is the run of ranks after those before it.
Schedule build_tree_reduce(const Problem& problem, const TreeReduce& plan);

}  // namespace pat::reduce
