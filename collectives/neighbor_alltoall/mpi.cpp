// The MPI library's own neighbourhood alltoall. It has no schedule here: libpat calls
// PMPI_Neighbor_alltoall. Cost: priced by calibration on the communicator. Source: MPI 4.1,
// Section 8.6.2.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_neighbor_alltoall_mpi {

PAT_ALGORITHM(neighbor_alltoall, mpi) {
  return {.operation = Operation::neighbor_alltoall,
          .name = "mpi",
          .idea = "the MPI library's own neighbourhood alltoall",
          .cost = "as calibrated",
          .source = "MPI 4.1, 8.6.2"};
}

}  // namespace pat::algorithm_neighbor_alltoall_mpi
