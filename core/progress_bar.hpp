#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace pat {

enum class ProgressStyle {
  none,
  bar,   ///< for a terminal: one line, redrawn at most ten times a second and cleared at the end
  lines  ///< for files and pipes: a whole line every ten seconds, none before
};

/// The share done and the time to go, for whoever waits. Not thread-safe.
class ProgressBar {
 public:
  /// `total` steps; `style` usually is progress_style().
  ProgressBar(std::string label, long total, ProgressStyle style, std::FILE* out = stderr,
              double seconds_between_lines = 10.0);
  /// Clears the bar.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `done` steps of the total are finished.
  void update(long done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  long total_;
  ProgressStyle style_;
  std::FILE* out_;
  double pause_s_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_;
};

/// What is shown, without terminal controls: label, bar (but in `lines`), per cent, time to go.
/// Pure.
std::string progress_line(const std::string& label, long done, long total, double elapsed_s,
                          ProgressStyle style = ProgressStyle::bar);

/// Whether a person sees standard error: it is a terminal, or that of the launcher (mpirun gives
/// its ranks a pipe) is, or that of `pat-cluster run` (PAT_CLUSTER_TERMINAL).
bool stderr_is_terminal();

/// A bar where a person sees standard error, else lines; none if `wanted` is false.
ProgressStyle progress_style(bool wanted = true);

}  // namespace pat
