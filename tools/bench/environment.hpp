#pragma once

#include <mpi.h>

#include <nlohmann/json.hpp>

namespace pat::bench {

/// What a measurement was made on: MPI, versions, nodes, processor, kernel, revision, time. Whole
/// on rank 0, null elsewhere. Collective over `comm`.
nlohmann::json capture_environment(MPI_Comm comm);

}  // namespace pat::bench
