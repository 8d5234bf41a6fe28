#pragma once

#include <string>

#include "libpat/mpi/check.hpp"

namespace pat::detail {

/// Rank 0's text on every rank. Collective.
inline void broadcast_text(MPI_Comm comm, std::string& text) {
  auto length = static_cast<int>(text.size());
  check(PMPI_Bcast(&length, 1, MPI_INT, 0, comm));
  text.resize(static_cast<std::size_t>(length));
  check(PMPI_Bcast(text.data(), length, MPI_CHAR, 0, comm));
}

}  // namespace pat::detail
