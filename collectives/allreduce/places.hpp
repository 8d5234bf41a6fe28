#pragma once

// The ranks that exchange where an algorithm needs a power of two of them.

#include <bit>

#include "collectives/allreduce/vector.hpp"

namespace pat::allreduce {

/// The places that exchange, the largest power of two in P. Of the first 2 (P - count) ranks each
/// odd one is the guest of the one before it, which speaks for both: so places stand in rank order.
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

/// Guests leave their vector to their hosts and receive the result at the end, in round `rounds`;
/// what the others do between them is `exchange(place)`.
template <class Exchange>
void with_guests(Vector& vector, const Places& places, int rank, std::uint32_t rounds,
                 Exchange exchange) {
  if (places.is_guest(rank)) {
    vector.send(rank - 1, vector.all(), 0);
    return vector.receive(rank - 1, vector.all(), rounds);
  }
  if (places.has_pair(rank)) vector.combine(rank + 1, vector.all(), Side::right, 0);
  exchange(places.of(rank));
  if (places.has_pair(rank)) vector.send(rank + 1, vector.all(), rounds);
}

}  // namespace pat::allreduce
