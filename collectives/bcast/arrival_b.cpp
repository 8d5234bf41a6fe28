// Arrival-b: every process tells the root that it has come. The root strings those who are there
// into a chain and sends the vector through it; who comes meanwhile waits for the next chain.
// Cost (equal arrivals): alpha + (P + N - 2)(alpha + m/N beta), with g groups that come apart at
//   most g times that; P processes, N segments, m bytes of the vector, alpha start-up time of a
//   message, beta transfer time per byte.
// Source: the idea of Patarasuk and Yuan 2008, "Efficient MPI_Bcast across different process
//   arrival patterns", as seed 001 Section 2.2 tells it: those who are there get the data first,
//   and say at the beginning that they are. The paper was not read; the rules are PAT's own
//   (bcast/arrivals.hpp).

#include "collectives/bcast/arrivals.hpp"

namespace pat::algorithm_bcast_arrival_b {

PAT_ALGORITHM(bcast, arrival_b) {
  return bcast::arrival_broadcast<bcast::Latecomers::wait>(
      "arrival-b", "those who have come form a chain; who comes later waits for the next one");
}

}  // namespace pat::algorithm_bcast_arrival_b
