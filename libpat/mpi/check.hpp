#pragma once

#include <mpi.h>

#include <stdexcept>

namespace pat::detail {

/// An MPI function failed; carries its error code.
class MpiFailure : public std::runtime_error {
 public:
  explicit MpiFailure(int code) : std::runtime_error("an MPI call failed"), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

/// Throws MpiFailure unless `code` is MPI_SUCCESS.
inline void check(int code) {
  if (code != MPI_SUCCESS) throw MpiFailure(code);
}

}  // namespace pat::detail
