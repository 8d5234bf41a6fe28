// The MPI library's own scan. It has no schedule here: libpat calls PMPI_Scan.
// Cost: priced by calibration on the communicator.
// Source: MPI 4.0, Section 6.11.1.

#include "collectives/algorithm.hpp"

namespace pat::algorithm_scan_mpi {

PAT_ALGORITHM(scan, mpi) {
  return {.operation = Operation::scan,
          .name = "mpi",
          .idea = "the MPI library's own scan",
          .cost = "as calibrated",
          .source = "MPI 4.0, 6.11.1"};
}

}  // namespace pat::algorithm_scan_mpi
