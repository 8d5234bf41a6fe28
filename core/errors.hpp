#pragma once

#include <stdexcept>
#include <string>

namespace pat {

/// What went wrong, in the terms of MPI's error classes; libpat maps each to one of them.
enum class ErrorKind {
  argument,      ///< a wrong argument (MPI_ERR_ARG)
  count,         ///< a negative or impossible count (MPI_ERR_COUNT)
  root,          ///< a root outside the communicator (MPI_ERR_ROOT)
  type,          ///< a wrong datatype (MPI_ERR_TYPE)
  communicator,  ///< a wrong communicator (MPI_ERR_COMM)
  topology,      ///< a communicator without a topology, or a wrong one (MPI_ERR_TOPOLOGY)
  request,       ///< a wrong request handle (MPI_ERR_REQUEST)
  operation,     ///< an operation which the algorithm cannot do (MPI_ERR_OP)
  order,         ///< a call at the wrong moment (MPI_ERR_OTHER)
  config,        ///< a bad setting (MPI_ERR_ARG)
  io,            ///< a file that cannot be read or written (MPI_ERR_IO)
  internal       ///< a broken invariant of PAT itself (MPI_ERR_INTERN)
};

/// One sentence that names the thing and the remedy. Never crosses the C interface.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& sentence) : std::runtime_error(sentence), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace pat
