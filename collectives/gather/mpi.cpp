// The MPI library's own gather. It has no schedule here: libpat calls PMPI_Gather.
// Cost: priced by calibration on the communicator; seed 001 Table 1 says what Open MPI and MPICH
//   pick.
// Source: MPI 4.0, Section 6.5.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_gather_mpi {

PAT_ALGORITHM(gather, mpi) {
  return {.operation = Operation::gather,
          .name = "mpi",
          .idea = "the MPI library's own gather",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.5"};
}

}  // namespace pat::algorithm_gather_mpi
