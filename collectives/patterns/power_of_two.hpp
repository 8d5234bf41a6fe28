#pragma once

// How often a number doubles, and the ranks that exchange where an algorithm needs a power of two
// of them.

#include <bit>
#include <cstdint>

namespace pat {

/// ceil(log2 n) for n of at least 1: how many messages one after another it takes at least until n
/// processes have something that one had.
constexpr int ceil_log2(int n) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(n) - 1));
}

/// The places that exchange, the largest power of two in P. Of the first 2 (P - count) ranks each
/// odd one is the guest of the one before it, which speaks for both: so places stand in rank order,
/// and the ranks that places first .. last-1 speak for are rank(first) .. rank(last) - 1.
struct Places {
  int count, guests;
  explicit Places(int ranks)
      : count(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        guests(ranks - count) {}
  bool has_pair(int rank) const { return rank < 2 * guests; }
  bool is_guest(int rank) const { return has_pair(rank) && rank % 2 == 1; }
  int of(int rank) const { return has_pair(rank) ? rank / 2 : rank - guests; }
  int rank(int place) const { return place < guests ? 2 * place : place + guests; }
  /// Rounds of one exchange with each power of two.
  std::uint32_t doublings() const {
    return static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(count)) - 1);
  }
};

}  // namespace pat
