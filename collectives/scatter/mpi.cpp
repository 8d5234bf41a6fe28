// The MPI library's own scatter. It has no schedule here: libpat calls PMPI_Scatter.
// Cost: priced by calibration on the communicator; seed 001 Table 1 says what Open MPI and MPICH
//   pick.
// Source: MPI 4.0, Section 6.6.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_scatter_mpi {

PAT_ALGORITHM(scatter, mpi) {
  return {.operation = Operation::scatter,
          .name = "mpi",
          .idea = "the MPI library's own scatter",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.6"};
}

}  // namespace pat::algorithm_scatter_mpi
