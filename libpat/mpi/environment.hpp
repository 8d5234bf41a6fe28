#pragma once

#include <mpi.h>

#include <algorithm>
#include <string>

#include "libpat/mpi/check.hpp"

namespace pat::detail {

/// "Open MPI v4.1.4": the first words of what the library says of itself.
inline std::string mpi_library() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  check(PMPI_Get_library_version(version, &length));
  return {version, std::find_if(version, version + length,
                                [](char c) { return c == '\n' || c == ',' || c == '\0'; })};
}

/// Whether any thread may call MPI at any time.
inline bool has_thread_multiple() {
  int level = MPI_THREAD_SINGLE;
  check(PMPI_Query_thread(&level));
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace pat::detail
