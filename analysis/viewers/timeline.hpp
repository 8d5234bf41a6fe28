#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/forecast.hpp"
#include "core/trace.hpp"

namespace pat {

/// One rank's part in one iteration, seconds after the trace's first start. It computes from
/// computing_s to arrival_s, waits for who is late until released_s, and has its data moved until
/// left_s; these never go back. Before computing_s it did what the trace does not know.
struct Step {
  double computing_s = 0.0, arrival_s = 0.0, released_s = 0.0, left_s = 0.0;
};

/// A trace as times that follow each other, iteration by iteration. Where it does not hold when
/// iterations began (traces of older versions, and those that are imported or made) each begins
/// when the last has left the one before; where it does not hold when calls were left, all leave
/// when the last has come. A rank is in one step at a time: what overlaps, such as a phase that
/// began before a non-blocking call was over, begins when the step before is over. The trace must
/// outlive it.
class Timeline {
 public:
  explicit Timeline(const Trace& trace);
  /// Goes to the next iteration; false after the last.
  bool next();

  int iteration() const { return iteration_; }
  const std::vector<Step>& steps() const { return steps_; }
  double begin_s() const { return begin_s_; }                ///< the first start of computing
  double last_arrival_s() const { return last_arrival_s_; }  ///< of all ranks
  int last() const { return last_; }                         ///< the rank that came last
  const std::string& place() const;
  /// What the call was done with; empty: not known.
  std::string_view algorithm() const;
  /// What the rank said of its phase, "edge 0.5", and when; within the time in which it computes.
  std::vector<std::pair<std::string, double>> edges(std::size_t rank) const;

 private:
  const Trace& trace_;
  int iteration_ = -1, last_ = 0;
  double begin_s_ = 0.0, end_s_ = 0.0, last_arrival_s_ = 0.0;
  std::vector<Step> steps_;
};

/// What a model foretells of each arrival from the phases before it, at the same place of the
/// program: iterations x ranks, seconds after the iteration's start. Not known where no computing
/// was recorded, and before the last 50,000 arrivals, as a model may be slow. Throws
/// Error(argument) for an unknown model.
std::vector<Forecast> replayed_forecasts(const Trace& trace, const std::string& model);

}  // namespace pat
