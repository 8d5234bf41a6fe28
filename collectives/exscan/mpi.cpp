// The MPI library's own exscan. It has no schedule here: libpat calls PMPI_Exscan.
// Cost: priced by calibration on the communicator.
// Source: MPI 4.0, Section 6.11.2.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_exscan_mpi {

PAT_ALGORITHM(exscan, mpi) {
  return {.operation = Operation::exscan,
          .name = "mpi",
          .idea = "the MPI library's own exscan",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.11.2"};
}

}  // namespace pat::algorithm_exscan_mpi
