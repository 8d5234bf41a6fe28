// The MPI library's own allreduce. It has no schedule here: libpat calls PMPI_Allreduce.
// Cost: priced by calibration on the communicator.
// Source: MPI 4.0, Section 6.9.6.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_allreduce_mpi {

PAT_ALGORITHM(allreduce, mpi) {
  return {.operation = Operation::allreduce,
          .name = "mpi",
          .idea = "the MPI library's own allreduce",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.9.6"};
}

}  // namespace pat::algorithm_allreduce_mpi
