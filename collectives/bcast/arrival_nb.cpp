// Arrival-nb: every process tells the root that it has come. The root appends it to the chain
// through which the vector passes, whose last process sends it what it has and then what comes, so
// that the vector leaves the root once unless the chain has ended before.
// Cost (equal arrivals): alpha + (P + N - 2)(alpha + m/N beta), from the arrival of a process that
//   comes after the others on (N + 1) alpha + m beta; P processes, N segments, m bytes of the
//   vector, alpha start-up time of a message, beta transfer time per byte.
// Source: the idea of Patarasuk and Yuan 2008, "Efficient MPI_Bcast across different process
//   arrival patterns", as seed 001 Section 2.2 tells it: those who are there get the data first,
//   and say at the beginning that they are. The paper was not read; the rules are PAT's own
//   (bcast/arrivals.hpp).

#include "collectives/bcast/arrivals.hpp"

namespace pat::algorithm_bcast_arrival_nb {

PAT_ALGORITHM(bcast, arrival_nb) {
  return bcast::arrival_broadcast<bcast::Latecomers::join>(
      "arrival-nb", "those who come are appended to one chain, whose end sends them what it has");
}

}  // namespace pat::algorithm_bcast_arrival_nb
