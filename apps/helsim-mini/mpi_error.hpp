#pragma once

#include <mpi.h>

#include <string>

#include "core/errors.hpp"

namespace helsim {

/// Throws pat::Error(internal) with MPI's own sentence unless `code` is MPI_SUCCESS.
inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw pat::Error(pat::ErrorKind::internal,
                   std::string(call) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace helsim
