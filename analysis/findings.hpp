#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "collectives/cost/simulate.hpp"
#include "core/run_traces.hpp"

namespace pat {

/// What is known of a run.
struct RunRecord {
  std::vector<Trace> traces;             ///< one a group of processes, with its places
  std::vector<std::vector<int>> groups;  ///< the ranks in the session of each trace
  int ranks = 0;                         ///< of the session
  std::string predictor;                 ///< the model that forecasts are replayed with
  /// Seconds that each rank of the session spent in collectives; unset where nobody measured it.
  std::optional<std::vector<double>> in_call_s;
  /// Of the program: from PAT_Init on, or of what a trace holds; unset where nobody knows.
  std::optional<double> wall_s = std::nullopt;
  bool reproducible = false;  ///< PAT_REPRODUCIBLE was on
  CostModel network = {};     ///< what bounds and simulations take messages to cost
};

/// The record of a run of which there are traces alone. At least one.
RunRecord record_of(RunTraces traces, const std::string& predictor);
/// The same of one trace, whose processes are all there are.
RunRecord record_of(Trace trace, const std::string& predictor);

/// The analysis of a run, as it stands in the JSON report under "analysis": docs/report.md explains
/// every key. Times in seconds. O(iterations P log P). Throws Error(argument) for an unknown model.
nlohmann::ordered_json findings_of(const RunRecord& run);

}  // namespace pat
