#pragma once

#include <chrono>
#include <cstddef>

namespace pat::fft {

/// Whether a person watches: standard output is a terminal, and so is that of the process which
/// started this one. The second matters because mpirun gives its ranks a terminal of their own
/// even where its own output goes to a file.
bool output_is_watched();

/// A line that shows how far the work is, redrawn at most ten times a second and wiped at the end.
class ProgressBar {
 public:
  /// Draws nothing unless `shown`.
  ProgressBar(std::size_t blocks, bool shown);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::size_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t blocks_;
  bool shown_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace pat::fft
