#pragma once

// What the ranks do that take no part where a power of two of them exchange.

#include "collectives/allreduce/vector.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::allreduce {

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
