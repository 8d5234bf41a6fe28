// Latest last: every rank receives from its neighbours at once and sends in the order in which they
// come, to the latest last. No message waits for another: a wrong forecast costs its place alone.
// Cost (equal arrivals): d (alpha + n beta); d neighbours, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte.
// Source: our own; after the sorted linear trees of seed 001 Section 4.1, one at every rank.

#include "collectives/patterns/among_neighbours.hpp"

namespace pat::algorithm_neighbor_allgather_latest_last {

PAT_ALGORITHM(neighbor_allgather, latest_last) {
  return neighbours::latest_last(Operation::neighbor_allgather);
}

}  // namespace pat::algorithm_neighbor_allgather_latest_last
