#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/forecast.hpp"
#include "core/trace.hpp"

namespace pat {

/// One rank's arrivals beside what a model foretells of them, each from the phases before it.
struct ForetoldRank {
  std::vector<double> arrival_s;
  std::vector<Forecast> forecast;  ///< of the arrival, as the trace counts it
  /// Mean of |forecast - arrival| of those that are known; 0 for none.
  double mean_error_s() const;
  /// The share of the known forecasts whose interval holds the arrival; 1 for none.
  double coverage() const;
};

/// From which share of the imbalance on an error of the forecasts is worth a look.
inline constexpr double wrong_forecast = 0.25;

/// Whether any computing was recorded: without it there is nothing that a model could foretell.
bool has_computing(const Trace& trace);

/// What of a trace is foretold, and by what.
struct Foretelling {
  std::string model;
  int first = 0;                                ///< this iteration and later ones
  int until = std::numeric_limits<int>::max();  ///< but for this one and later ones
  /// The share of each phase after which the program says how far it is, 0 for programs that do
  /// not; where the trace does not hold when it said so the replay takes the phase to go at an even
  /// pace.
  double edge = 0.0;
  bool hints = true;  ///< the model is given the trace's hints when a phase begins
};

/// One rank's arrivals as a model would have foretold them. Throws Error(argument) for an unknown
/// model.
ForetoldRank foretell(const Trace& trace, int rank, const Foretelling& how);

}  // namespace pat
