#pragma once

#include "collectives/patterns/rooted_tree.hpp"
#include "collectives/schedule.hpp"

namespace pat::bcast {

/// A broadcast through a tree, each process passing segments on to its children.
struct TreeBcast {
  RootedTree tree;
  int segments = 1;
  bool background = false;  ///< data lands, and is passed on, before a process arrives
};

Schedule build_tree_bcast(const Problem& problem, const TreeBcast& plan);

/// A chain of the ranks in this order; the root is taken out of it and put first.
RootedTree chain_of(const std::vector<int>& order, int root);

/// N that makes (hops + N)(alpha + m/N beta) least: sqrt(hops m beta / alpha), at least 1 and
/// at most one a unit and 128, so that every message has a tag in every MPI library, or as many as
/// leave unasked.
int segments_through(const Problem& problem, double hops);

/// N that makes (P + N - 2)(alpha + m/N beta) least, as above.
int chain_segments(const Problem& problem);

}  // namespace pat::bcast
