#pragma once

#include <mpi.h>

#include <functional>

namespace pat::detail {

/// Calls `body` and reports an error to the error handler of `comm`, as MPI's functions do. Errors
/// that `body` returns are MPI's own and have been reported.
int with_error_handler(MPI_Comm comm, const std::function<int()>& body);

}  // namespace pat::detail
