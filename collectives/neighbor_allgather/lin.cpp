// Linear: every rank sends its block to its neighbours and receives from them, all at once.
// Cost (equal arrivals): d (alpha + n beta); d neighbours, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte.
// Source: Open MPI's basic neighbourhood allgather; MPI 4.1, Section 8.6.1 (what it is).

#include "collectives/patterns/among_neighbours.hpp"

namespace pat::algorithm_neighbor_allgather_lin {

PAT_ALGORITHM(neighbor_allgather, lin) {
  return neighbours::lin(Operation::neighbor_allgather);
}

}  // namespace pat::algorithm_neighbor_allgather_lin
