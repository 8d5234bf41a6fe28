// The MPI library's own neighbourhood allgather. It has no schedule here: libpat calls
// PMPI_Neighbor_allgather. Cost: priced by calibration on the communicator. Source: MPI 4.1,
// Section 8.6.1.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_neighbor_allgather_mpi {

PAT_ALGORITHM(neighbor_allgather, mpi) {
  return {.operation = Operation::neighbor_allgather,
          .name = "mpi",
          .idea = "the MPI library's own neighbourhood allgather",
          .cost = "as calibrated",
          .source = "MPI 4.1, 8.6.1"};
}

}  // namespace pat::algorithm_neighbor_allgather_mpi
