#pragma once

#include <mpi.h>

namespace pat::detail {

/// A communicator of the same group and topology as `comm` that no user callback sees, with errors
/// returned.
/// Collective over `comm`.
MPI_Comm private_communicator(MPI_Comm comm);

}  // namespace pat::detail
