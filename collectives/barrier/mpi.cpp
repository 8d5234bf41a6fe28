// The MPI library's own barrier. It has no schedule here: libpat calls PMPI_Barrier.
// Cost: priced by calibration on the communicator.
// Source: MPI 4.0, Section 6.3.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_barrier_mpi {

PAT_ALGORITHM(barrier, mpi) {
  return {.operation = Operation::barrier,
          .name = "mpi",
          .idea = "the MPI library's own barrier",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.3"};
}

}  // namespace pat::algorithm_barrier_mpi
