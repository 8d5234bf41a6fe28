#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace pat {

/// One line on a terminal with the share done and the time to go, redrawn at most ten times a
/// second. Does nothing when `visible` is false. Not thread-safe.
class ProgressBar {
 public:
  /// `total` steps; `visible` usually is stderr_is_terminal().
  ProgressBar(std::string label, long total, bool visible, std::FILE* out = stderr);
  /// Clears the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `done` steps of the total are finished.
  void update(long done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  long total_;
  bool visible_;
  std::FILE* out_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_ - std::chrono::seconds(1);
};

/// The line without its terminal controls: label, bar, per cent, time to go. Pure.
std::string progress_line(const std::string& label, long done, long total, double elapsed_s);

/// Whether a person sees standard error: it is a terminal, or that of the launcher (mpirun gives
/// its ranks a pipe) is, or that of `pat-cluster run` (PAT_CLUSTER_TERMINAL).
bool stderr_is_terminal();

}  // namespace pat
