#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "collectives/cost/calibration.hpp"
#include "core/config.hpp"

namespace pat::detail {

/// What PAT_CALIBRATION is set to for costs that are kept from run to run.
inline constexpr const char* cache_setting = "cache";
/// Whether they are: not where the user says what messages cost.
bool keeps_costs(const Config& config);

/// What earlier runs on these machines, with as many processes on each and this MPI library, have
/// learnt; empty if there were none, or if what they left cannot be read: then a warning says so.
/// The same on all processes. Collective.
Calibration load_cached_costs(MPI_Comm comm);

/// Adds what the processes have learnt to what `calibration` says of messages and to what is in the
/// file, which stays whole whoever else writes it. A file that cannot be written is a warning.
/// Collective.
void keep_costs(MPI_Comm comm, const Calibration& calibration,
                std::vector<Calibration::Learnt> learnt);

}  // namespace pat::detail
