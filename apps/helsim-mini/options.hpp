#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "apps/helsim-mini/step_times.hpp"

namespace helsim {

/// What the user asked for.
struct Options {
  std::string case_name = "two-stream";
  std::string input;  ///< empty: the built-in cases
  int steps = -1;     ///< -1: 20, or 100 for the study
  std::string output = "helsim-output";
  bool over = true;  ///< --picture over, else depth
  int width = 640;
  int height = 400;
  int picture_every = 1;
  std::string reduce = "auto";  ///< of the replay: a list, empty for all
  std::string predictor;        ///< empty: what PAT is set to
  std::string trace;
  RenderClock clock = RenderClock::wall;
  std::string load;
  std::string save;
  bool film = false;
  bool study = false;
  std::string study_trace;
  std::vector<std::size_t> study_bytes;  ///< empty: those of seed 004
  bool replay = false;
  std::vector<double> edges;         ///< of the replay
  std::string max_lateness = "5ms";  ///< of the replay
  std::string format = "table";
  bool list_cases = false;

  int step_count() const { return steps >= 0 ? steps : study ? 100 : 20; }
};

enum class Parsed { run, done, usage_error };

/// Reads the command line; help and complaints go to the streams.
Parsed parse_options(int argc, char** argv, Options& options, std::ostream& out,
                     std::ostream& errors);

}  // namespace helsim
