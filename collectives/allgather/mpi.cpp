// The MPI library's own allgather. It has no schedule here: libpat calls PMPI_Allgather.
// Cost: priced by calibration on the communicator.
// Source: MPI 4.0, Section 6.7.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_allgather_mpi {

PAT_ALGORITHM(allgather, mpi) {
  return {.operation = Operation::allgather,
          .name = "mpi",
          .idea = "the MPI library's own allgather",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.7"};
}

}  // namespace pat::algorithm_allgather_mpi
