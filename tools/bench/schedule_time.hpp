#pragma once

#include <string>

#include "collectives/cost/calibration.hpp"
#include "collectives/problem.hpp"
#include "core/config.hpp"
#include "measure/delays.hpp"

namespace pat::bench {

/// Median time in seconds to generate the root's schedule for the arrivals of the first iterations,
/// as the session with this configuration would. Of `auto`: to decide on an algorithm, which
/// generates the schedules of those that are tried, and to generate the one that is taken. Negative
/// where none is generated: `mpi`, and dynamic algorithms, which follow what comes. Throws
/// Error(argument) for an unknown algorithm.
double schedule_time_s(Problem problem, const std::string& algorithm, const measure::Delays& delays,
                       const Config& config, const Calibration& calibration);

}  // namespace pat::bench
