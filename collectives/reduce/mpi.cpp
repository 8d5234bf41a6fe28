// The MPI library's own reduction. It has no schedule here: libpat calls PMPI_Reduce.
// Cost: priced by calibration on the communicator.
// Source: MPI 4.0, Section 6.9.1.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_reduce_mpi {

PAT_ALGORITHM(reduce, mpi) {
  return {.operation = Operation::reduce,
          .name = "mpi",
          .idea = "the MPI library's own reduction",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.9.1"};
}

}  // namespace pat::algorithm_reduce_mpi
