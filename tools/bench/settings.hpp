#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "collectives/cost/calibration.hpp"
#include "core/config.hpp"
#include "measure/test_data.hpp"
#include "tools/bench/options.hpp"
#include "tools/bench/results.hpp"

namespace pat::bench {

/// The settings in the units in which they are used; checked.
struct Settings {
  std::vector<std::string> operations, algorithms;
  std::vector<std::size_t> sizes;
  measure::DataType type;
  double base_s, window_s, lateness_limit_s;
  double error_s;  ///< of what the oracle says
  int root;        ///< -1: rotates
  Format format;
  std::vector<std::size_t> beside;  ///< sizes of the calls between those that are measured
  Config config;                    ///< of the session, if there is one
  Calibration calibration;
};

/// Whether it is the MPI library's own function that is called: "mpi", or "plain", of whose phases
/// PAT is told nothing.
inline bool calls_mpi(const std::string& algorithm) {
  return algorithm == "mpi" || algorithm == "plain";
}

/// What the options say for so many ranks, all groups together. Throws Error(argument) or
/// Error(root) for what cannot be measured, Error(io) for a place where the report cannot be
/// written. Local.
Settings check_settings(const Options& options, int all_ranks);

/// The options as they stand in the report.
nlohmann::json settings_json(const Options& options);

}  // namespace pat::bench
