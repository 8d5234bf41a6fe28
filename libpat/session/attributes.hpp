#pragma once

#include <mpi.h>

namespace pat {

class Communicator;

/// PAT's twin of a user communicator, kept as an attribute of it; null if there is none yet.
Communicator* attached(MPI_Comm user);
/// Attaches a twin. When the user frees the communicator, the session forgets the twin.
void attach(MPI_Comm user, Communicator& twin);
/// Removes every attribute (which frees the twins, on all processes in the same order) and the
/// hooks of the session.
void detach_all();
/// Makes MPI_Finalize stop the daemon of a session that was never closed.
void hook_finalize();

}  // namespace pat
