#pragma once

#include <string>

#include "libpat/mpi/check.hpp"

namespace pat::detail {

/// The text of rank `root` on every rank. Collective.
inline void broadcast_text(MPI_Comm comm, std::string& text, int root = 0) {
  auto length = static_cast<int>(text.size());
  check(PMPI_Bcast(&length, 1, MPI_INT, root, comm));
  text.resize(static_cast<std::size_t>(length));
  check(PMPI_Bcast(text.data(), length, MPI_CHAR, root, comm));
}

}  // namespace pat::detail
