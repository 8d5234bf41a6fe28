#pragma once

#include <functional>
#include <vector>

#include "core/arrival_pattern.hpp"

namespace pat {

/// A tree over the ranks, laid out so that every subtree is a run of places: place 0 is the root,
/// the subtree of place p is p .. p + node[p].size - 1. Data that is stored in the order of the
/// places never has to be moved on its way through the tree.
struct RootedTree {
  struct Node {
    int rank = 0;
    int parent = -1;            ///< place of the parent; -1: the root
    int size = 1;               ///< places in the subtree, its own among them
    std::vector<int> children;  ///< places, in the order in which a scatter serves them
  };
  std::vector<Node> nodes;
  std::vector<int> place_of;  ///< place of each rank

  int ranks() const { return static_cast<int>(nodes.size()); }
};

/// Lays out the tree over the numbers 0 .. n-1 (0: the root), number i being ranks[i].
/// `children(i)` lists the children of i in the order in which a scatter serves them; the last one
/// served comes first in the layout.
RootedTree lay_out(const std::vector<int>& ranks,
                   const std::function<std::vector<int>(int number)>& children);

/// All ranks in their natural order, counted from the root.
std::vector<int> ranks_from(int root, int ranks);

/// The root and its leaves, in rank order from the root.
RootedTree ranked_star(int ranks, int root);

/// The k-nomial tree, k > 1: the parent of number v, counted from the root, is v without its lowest
/// digit to the base k that is not 0. Places are numbers: every subtree is a run of ranks, unless
/// it wraps around. k = 2 is the binomial tree of MPI libraries.
RootedTree ranked_knomial(int ranks, int root, int k);

/// The complete k-ary tree, k > 0: the children of number v, counted from the root, are k v + 1 to
/// k v + k.
RootedTree ranked_kary(int ranks, int root, int k);
/// Levels below the root of the same.
int kary_height(int ranks, int k);

/// k chains that begin at the root: 1 + c, 1 + c + k, 1 + c + 2 k and so on, counted from it.
RootedTree ranked_chains(int ranks, int root, int k);

/// The binomial tree of MPI libraries: ranks in their natural order, counted from the root, so that
/// the blocks of a subtree lie side by side in the user's buffer unless they wrap around its end.
RootedTree ranked_binomial(int ranks, int root);

/// The binomial tree that serves the ranks in the order given, apart from the root, which is taken
/// out of it: the first is served first and has the largest subtree (Proficz 2020 Figs. 7 and 11).
RootedTree ordered_binomial(const std::vector<int>& order, int root);

}  // namespace pat
