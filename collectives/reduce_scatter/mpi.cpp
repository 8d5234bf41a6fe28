// The MPI library's own reduce-scatter. It has no schedule here: libpat calls
// PMPI_Reduce_scatter_block.
// Cost: priced by calibration on the communicator.
// Source: MPI 4.0, Section 6.10.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_reduce_scatter_mpi {

PAT_ALGORITHM(reduce_scatter, mpi) {
  return {.operation = Operation::reduce_scatter,
          .name = "mpi",
          .idea = "the MPI library's own reduce-scatter",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.10"};
}

}  // namespace pat::algorithm_reduce_scatter_mpi
