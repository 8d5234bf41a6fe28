#pragma once

#include <cstddef>
#include <vector>

#include "collectives/patterns/rooted_tree.hpp"
#include "collectives/schedule.hpp"

namespace pat {

/// Where the blocks of a gather or scatter lie when they travel through a tree: in the order of the
/// tree's places in scratch and in messages, in the order of the ranks in the root's buffer.
class SubtreeBlocks {
 public:
  SubtreeBlocks(const Problem& problem, const RootedTree& tree) : tree_(tree) {
    const auto count = static_cast<std::size_t>(problem.ranks);
    by_rank_.assign(count + 1, 0);
    by_place_.assign(count + 1, 0);
    for (std::size_t i = 0; i < count; ++i) {
      by_rank_[i + 1] = by_rank_[i] + problem.block(static_cast<int>(i));
      by_place_[i + 1] = by_place_[i] + problem.block(tree.nodes[i].rank);
    }
  }

  /// Units of the blocks of the subtree.
  std::size_t length(int place) const {
    return by_place_[place + tree_.nodes[place].size] - by_place_[place];
  }
  /// Units that lie before `inner` in the blocks of the subtree of `outer`.
  std::size_t offset(int inner, int outer) const { return by_place_[inner] - by_place_[outer]; }

  /// The rank's block in the root's buffer.
  Slice at_root(Buffer buffer, int rank) const {
    return {buffer, by_rank_[rank], by_rank_[rank + 1] - by_rank_[rank]};
  }

  /// The blocks of the subtree as they lie in the root's buffer, adjacent ones joined.
  std::vector<Slice> runs_at_root(Buffer buffer, int place) const {
    std::vector<Slice> runs;
    for (int p = place; p < place + tree_.nodes[place].size; ++p) {
      const Slice block = at_root(buffer, tree_.nodes[p].rank);
      if (block.length == 0) continue;
      if (!runs.empty() && runs.back().offset + runs.back().length == block.offset)
        runs.back().length += block.length;
      else
        runs.push_back(block);
    }
    if (runs.empty()) runs.push_back({buffer, 0, 0});
    return runs;
  }

 private:
  const RootedTree& tree_;
  std::vector<std::size_t> by_rank_, by_place_;
};

}  // namespace pat
