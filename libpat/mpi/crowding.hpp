#pragma once

#include <mpi.h>

#include <cstdint>

namespace pat::detail {

/// The same for all processes that run on one kernel since it was started; 0 where it does not say.
std::uint64_t this_kernel();

/// How many processes of `comm` share a core of this machine, on the machine where they are most;
/// at least 1. Machines are told apart by their kernels, not by what they are called, so that
/// containers and emulated nodes count as what they run on. Collective over `comm`.
double processes_per_core(MPI_Comm comm);

}  // namespace pat::detail
