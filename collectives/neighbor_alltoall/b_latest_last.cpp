// Background latest last: every rank sends to its neighbours in the order in which they come, and
// what is sent lands before its receiver has come.
// Cost (equal arrivals): d (alpha + n beta); d neighbours, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte. A process that is later than its neighbours by
//   that has all theirs when it comes.
// Source: our own; after the background sorted linear scatter of seed 001 Section 4.1, one at every
//   rank.

#include "collectives/patterns/among_neighbours.hpp"

namespace pat::algorithm_neighbor_alltoall_b_latest_last {

PAT_ALGORITHM(neighbor_alltoall, b_latest_last) {
  return neighbours::b_latest_last(Operation::neighbor_alltoall);
}

}  // namespace pat::algorithm_neighbor_alltoall_b_latest_last
