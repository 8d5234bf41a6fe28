#pragma once

#include <string>
#include <vector>

#include "tools/study/gain.hpp"
#include "tools/study/replay.hpp"

namespace pat::predict {

/// What the user asked for.
struct Options {
  std::string path;  ///< a trace, or a folder of them
  std::string format = "table";
  std::string forecasts;  ///< a trace whose rows are judged instead of a model; may be empty
  std::vector<std::string> models;
  std::vector<std::string> exchanges = {"1"};  ///< see exchange_of()
  study::ReplayOptions replay;
  study::GainOptions gain{.algorithm = "", .against = ""};
  std::string operation, bytes;                   ///< empty: as the trace says
  std::string plot, plot_horizon, plot_exchange;  ///< pictures; empty: none
  int skip = 20;  ///< iterations at the beginning that are not judged
  int horizon_max = 16;
  bool no_hints = false, per_rank = false, no_gain = false, quiet = false;
};

/// Every how many iterations patterns are exchanged: "3"; 0 for "interval", which stands for when a
/// forecast leaves its interval. Throws Error(argument) for anything else.
int exchange_of(const std::string& text);

/// Throws Error(argument) for models and exchanges that there are not, and for what excludes each
/// other; Error(argument) or Error(io) for a picture that cannot be written. To call before the
/// work.
void check_options(const Options& options);

}  // namespace pat::predict
