#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "apps/fft/measurement.hpp"
#include "apps/fft/options.hpp"

namespace pat::fft {

/// CPU time of PAT's background threads, as a share of one core, mean over the processes.
struct DaemonUse {
  double predicting = 0.0;  ///< forecasts, reports and decisions
  double moving = 0.0;      ///< data of collectives, moved ahead of the call
};

/// All that a run found out, at the master.
struct Results {
  int processes = 1;
  int threads = 1;            ///< OpenMP threads of a process
  int cores = 1;              ///< of the master's node
  int processes_on_node = 1;  ///< of the master's node
  std::size_t blocks = 0;
  std::size_t gathered_bytes = 0;
  std::vector<Summary> rows;
  std::vector<Score> scores;
  std::optional<double> worst_error;  ///< relative to FFTW, with --check
  std::optional<DaemonUse> daemon;    ///< unset where PAT ran without a background thread
  std::string trace;                  ///< where PAT wrote the arrivals; empty: nowhere
};

/// For a person.
void print_tables(std::ostream& out, const Options& options, const Results& results);
/// For a program: one JSON object, units in the names.
void print_json(std::ostream& out, const Options& options, const Results& results);

}  // namespace pat::fft
