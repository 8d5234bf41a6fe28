#pragma once

#include <mpi.h>

#include <string>

#include "collectives/cost/calibration.hpp"
#include "core/config.hpp"

namespace pat::detail {

/// The calibration in PAT_CALIBRATION, read by rank 0 of `comm`; empty if the setting is.
/// Collective. Throws Error(config) on every process if the file cannot be read or is no
/// calibration.
Calibration load_calibration(MPI_Comm comm, const Config& config);

/// Warns in the log if `auto` will find no collective of `ranks` processes in the calibration,
/// because it was made with another number; what it says of messages holds all the same.
void warn_of_other_ranks(const Calibration& calibration, const std::string& path, int ranks);

}  // namespace pat::detail
