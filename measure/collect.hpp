#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "measure/engine.hpp"

namespace pat::measure {

/// What all ranks learn from each other after an iteration: every rank's times on rank 0, whether
/// any of them was asked to stop (StopSignals) and what the lowest rank with a wrong result says.
/// Collective over `comm`.
Hooks::Collected collect(const RankTimes& times, const std::optional<std::string>& wrong,
                         MPI_Comm comm);

}  // namespace pat::measure
