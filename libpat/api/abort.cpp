// MPI_Abort, which ends the other processes at once: before it, trace and report say what they
// have.

#include <mpi.h>

#include "libpat/report/spool.hpp"

extern "C" int MPI_Abort(MPI_Comm comm, int code) {
  pat::detail::say_last_words(false);
  return PMPI_Abort(comm, code);
}
