// The MPI library's own broadcast. It has no schedule here: libpat calls PMPI_Bcast.
// Cost: priced by calibration on the communicator.
// Source: MPI 4.0, Section 6.4.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_bcast_mpi {

PAT_ALGORITHM(bcast, mpi) {
  return {.operation = Operation::bcast,
          .name = "mpi",
          .idea = "the MPI library's own broadcast",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.4"};
}

}  // namespace pat::algorithm_bcast_mpi
