// The MPI library's own alltoall. It has no schedule here: libpat calls PMPI_Alltoall.
// Cost: priced by calibration on the communicator.
// Source: MPI 4.0, Section 6.8.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_alltoall_mpi {

PAT_ALGORITHM(alltoall, mpi) {
  return {.operation = Operation::alltoall,
          .name = "mpi",
          .idea = "the MPI library's own alltoall",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.8"};
}

}  // namespace pat::algorithm_alltoall_mpi
