#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace pat::detail {

/// The texts of all processes at rank 0, of any length; empty elsewhere. Collective; throws
/// MpiFailure.
std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine);

}  // namespace pat::detail
