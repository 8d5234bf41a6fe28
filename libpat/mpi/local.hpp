#pragma once

#include <mpi.h>

namespace pat::detail {

// What needs a communicator but touches no other process: packing, and asking the MPI library what
// it thinks of a handle. All on a communicator of the session's own that returns its errors, so
// that none reaches the handler of MPI_COMM_SELF or MPI_COMM_WORLD.

/// Makes and frees that communicator: the session's first and last act of this kind.
void open_local();
void close_local();
/// The communicator; MPI_COMM_SELF outside a session.
MPI_Comm local_communicator();

/// Whether the MPI library takes messages of this type: not if it is not committed. About 20 ns.
/// Thread-safe. Throws MpiFailure.
bool is_committed(MPI_Datatype type);
/// Whether the MPI library knows the operation on elements of this type, which must be committed.
/// About 40 ns. Thread-safe. Throws MpiFailure.
bool is_defined_on(MPI_Op op, MPI_Datatype type);

}  // namespace pat::detail
