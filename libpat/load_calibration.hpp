#pragma once

#include <mpi.h>

#include "collectives/calibration.hpp"
#include "core/config.hpp"

namespace pat {

/// The calibration in PAT_CALIBRATION, read by rank 0 of `comm`; empty if the setting is.
/// Collective. Throws Error(config) on every process if the file cannot be read or is no
/// calibration.
Calibration load_calibration(MPI_Comm comm, const Config& config);

}  // namespace pat
