#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/fft/imbalance.hpp"

namespace pat::fft {

/// What a user asked for.
struct Options {
  std::vector<std::string> inputs;        ///< sound files, one after another; none: random data
  std::size_t size = 262144;              ///< samples of a block; of a recording 4096 unless given
  double overlap = 0.5;                   ///< share of a block that the next one repeats, in [0, 1)
  std::optional<std::size_t> iterations;  ///< blocks; default 1000, of a recording all
  std::vector<std::string> algorithms = {"mpi", "lin", "ls", "sls", "bsls"};
  Imbalance imbalance;
  std::uint64_t seed = 1;
  int threads = 0;     ///< OpenMP threads of a process; 0: the cores of the machine shared out
  bool check = false;  ///< compare each spectrum with FFTW's
  bool json = false;
  std::optional<bool>
      progress;             ///< a progress bar, or none; unset: a bar on a terminal, else lines
  std::string spectrogram;  ///< PNG to write; empty: none

  /// Samples from one block of a recording to the next, at least 1.
  std::size_t hop() const;
};

/// Thrown for --help and --version: `what()` is what to print, and the program ends with 0.
struct Information {
  std::string text;
};

/// Reads the command line and checks all that can be checked without the other processes or a file.
/// Throws Error(argument) with a sentence, or Information.
Options parse_options(int argc, const char* const* argv, int processes);

}  // namespace pat::fft
