#pragma once

// Rank arithmetic of binomial trees over the numbers 0 .. n-1, 0 being the root, for any n.

#include <bit>
#include <vector>

namespace pat::binomial {

/// Children of v in the tree where the parent of v is v without its lowest set bit (MPI's own
/// binomial tree): v + 1, v + 2, v + 4, ... below the lowest set bit of v, largest subtree first.
/// The subtree of each child is a run of numbers.
inline std::vector<int> low_bit_children(int v, int n) {
  const unsigned limit = v == 0 ? std::bit_ceil(static_cast<unsigned>(n))
                                : static_cast<unsigned>(v) & -static_cast<unsigned>(v);
  std::vector<int> children;
  for (unsigned step = limit / 2; step > 0; step /= 2)
    if (v + static_cast<int>(step) < n) children.push_back(v + static_cast<int>(step));
  return children;
}

/// Children of v in the tree where the parent of v is v without its highest set bit: v + 2^k for
/// each 2^k > v, largest subtree first. It is the tree above with its numbers' bits reversed, but
/// defined and balanced for any n: number v is served in round floor(log2 v), so small numbers are
/// served first and have the largest subtrees.
inline std::vector<int> high_bit_children(int v, int n) {
  std::vector<int> children;
  for (unsigned step = v == 0 ? 1u : std::bit_floor(static_cast<unsigned>(v)) * 2;
       v + static_cast<int>(step) < n; step *= 2)
    children.push_back(v + static_cast<int>(step));
  return children;
}

}  // namespace pat::binomial
