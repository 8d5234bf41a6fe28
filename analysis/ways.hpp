#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/trace.hpp"

namespace pat {

/// A number of seconds that was estimated, and between which it lies with at least 95 %.
struct Estimate {
  double value_s = 0.0, lower_s = 0.0, upper_s = 0.0;
};

/// One algorithm that the calls of a trace were done with.
struct Way {
  std::string algorithm;
  long calls = 0;
  /// From the last arrival until the last process has left the call: the median.
  double after_last_s = 0.0;
  /// Elapsed seconds that all its calls took less than they would have with the MPI library's own;
  /// nothing for that itself, and where it or this one did too few calls to say.
  std::optional<Estimate> gained_s;
};

/// The calls of one place by what did them, most calls first; none where a trace does not hold
/// when calls were left or what did them. The difference of medians; its interval from those of
/// the medians by order statistics, so that no distribution is assumed (David and Nagaraja, Order
/// Statistics, 2003, 7.1). What it compares are the program's own calls: if all processes came
/// otherwise while MPI's own was at work, part of the difference is that. O(iterations (P + log)).
std::vector<Way> ways_of(const Trace& trace);

}  // namespace pat
