#pragma once

#include <mpi.h>

namespace helsim {

/// Gives each process its share of the cores it may run on, unless OMP_NUM_THREADS says otherwise:
/// more threads than cores make every parallel loop wait for the scheduler. Returns the number of
/// threads. Collective.
int share_cores(MPI_Comm comm);

}  // namespace helsim
