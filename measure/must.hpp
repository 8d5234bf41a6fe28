#pragma once

#include <mpi.h>

namespace pat::measure {

/// Throws Error(argument) with PAT's own sentence unless `code` is MPI_SUCCESS.
void must(int code, const char* what);

/// For calls that only this rank may see fail: the others could not be told, so the job ends.
void must_or_abort(int code, const char* what, MPI_Comm comm);

}  // namespace pat::measure
