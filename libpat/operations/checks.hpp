#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "core/errors.hpp"
#include "libpat/execution/arguments.hpp"

namespace pat::detail {

/// Throws Error of that kind with "PAT_Gather: what".
[[noreturn]] void refuse(ErrorKind kind, const char* function, const std::string& what);

/// Who calls.
struct Caller {
  int rank = 0, size = 0;
  bool inter = false;   ///< the communicator is an inter-communicator
  int remote_size = 0;  ///< of its other group
  /// For an operation among neighbours: this process's; null where the communicator has no
  /// topology.
  std::shared_ptr<const Neighbours> neighbours = {};
  /// Of the blocks that a buffer for all holds.
  int blocks() const { return inter ? remote_size : size; }
};
/// Asks the communicator's twin where there is one, which costs less than asking MPI. Throws
/// Error(communicator) for MPI_COMM_NULL.
Caller caller_in(const Arguments& arguments);

/// Checks what matters on this process as MPI does. Throws Error with a sentence that begins with
/// the function's name. What an inter-communicator's calls are given is left to MPI.
void check_arguments(const Arguments& arguments, const Caller& me);

}  // namespace pat::detail
