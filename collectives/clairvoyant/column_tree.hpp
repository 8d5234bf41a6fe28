#pragma once

// A segment tree over columns of bits: a leaf for a process, with a bit for each segment; an inner
// node is the union of its children. Source: Proficz, Ocetkiewicz 2020 Section 5.4, Listings 3 to
// 5, Fig. 6.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collectives/clairvoyant/isa.hpp"

namespace pat::clairvoyant {

/// Leaves are named by their node: leaves() + position. The root is node 1.
class ColumnTree {
 public:
  using Word = std::uint64_t;

  /// `leaves` is a power of two, `words` the number of 64-bit words of a column.
  ColumnTree(std::size_t leaves, std::size_t words)
      : leaves_(leaves), words_(words), nodes_(words * 2 * leaves, 0) {}

  std::size_t leaves() const { return leaves_; }
  Word* node(std::size_t number) { return nodes_.data() + words_ * number; }
  const Word* node(std::size_t number) const { return nodes_.data() + words_ * number; }
  bool has(std::size_t number, int segment) const {
    return node(number)[segment / 64] >> (segment % 64) & 1;
  }

  void clear(std::size_t leaf) {
    std::fill_n(node(leaf), words_, Word{0});
    update(leaf);
  }

  /// Makes the nodes above a leaf right again.
  PAT_INLINE void update(std::size_t leaf) {
    for (std::size_t n = leaf / 2; n > 0; n /= 2) join(n);
  }
  /// The same when only this segment has changed.
  PAT_INLINE void update(std::size_t leaf, int segment) {
    const std::size_t w = segment / 64;
    for (std::size_t n = leaf / 2; n > 0; n /= 2) node(n)[w] = node(2 * n)[w] | node(2 * n + 1)[w];
  }
  /// The same for the leaves from `low` to `high`.
  PAT_INLINE void update_all(std::size_t low, std::size_t high) {
    for (low /= 2, high /= 2; low > 0 && low <= high; low /= 2, high /= 2)
      for (std::size_t n = low; n <= high; ++n) join(n);
  }

  /// Adds to `found` what leaves other than this one have (Listing 3).
  PAT_INLINE void add_all_except(std::size_t leaf, Word* found) const {
    for (std::size_t n = leaf; n > 1; n /= 2) {
      const Word* sibling = node(n ^ 1);
      for (std::size_t w = 0; w < words_; ++w) found[w] |= sibling[w];
    }
  }

  /// The first leaf that has the segment (Listing 4). There must be one.
  PAT_INLINE std::size_t first(int segment) const { return first_below(1, segment); }
  /// The first one behind `leaf` (Listing 5). There must be one.
  PAT_INLINE std::size_t next(std::size_t leaf, int segment) const {
    while (leaf % 2 == 1 || !has(leaf + 1, segment)) leaf /= 2;
    return first_below(leaf + 1, segment);
  }

 private:
  PAT_INLINE void join(std::size_t number) {
    Word* parent = node(number);
    const Word *left = node(2 * number), *right = node(2 * number + 1);
    for (std::size_t w = 0; w < words_; ++w) parent[w] = left[w] | right[w];
  }
  PAT_INLINE std::size_t first_below(std::size_t number, int segment) const {
    while (number < leaves_) number = 2 * number + (has(2 * number, segment) ? 0 : 1);
    return number;
  }

  std::size_t leaves_, words_;
  std::vector<Word> nodes_;
};

}  // namespace pat::clairvoyant
