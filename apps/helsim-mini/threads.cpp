#include "apps/helsim-mini/threads.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdlib>

#include "apps/helsim-mini/mpi_error.hpp"

namespace helsim {

int share_cores(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  int here = 1;
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  if (std::getenv("OMP_NUM_THREADS") == nullptr)
    omp_set_num_threads(std::max(1, omp_get_num_procs() / here));
  return omp_get_max_threads();
}

}  // namespace helsim
