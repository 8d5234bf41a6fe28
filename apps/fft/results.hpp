#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "apps/fft/measurement.hpp"
#include "apps/fft/options.hpp"

namespace pat::fft {

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
  std::optional<double> worst_error;   ///< relative to FFTW, with --check
  std::optional<double> daemon_share;  ///< of one core, the busiest process's daemon
  std::string trace;                   ///< where PAT wrote the arrivals; empty: nowhere
};

/// For a person.
void print_tables(std::ostream& out, const Options& options, const Results& results);
/// For a program: one JSON object, units in the names.
void print_json(std::ostream& out, const Options& options, const Results& results);

}  // namespace pat::fft
