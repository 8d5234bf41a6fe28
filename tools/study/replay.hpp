#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/trace.hpp"

namespace pat::study {

/// How a trace is forecast: one model a rank, each iteration forecast from those before it.
struct ReplayOptions {
  std::string model = "sma:5";
  double edge = 0.0;  ///< share of the work at which each phase has an edge; 0: no edges
  /// How uneven the pace is: before an edge at share f the phase has taken the share
  /// f (1 + (1 - f) e) of its time, e normal with this standard deviation.
  double edge_noise = 0.05;
  /// The pattern is exchanged every k-th iteration, forecasts bridge the others; 0: a rank sends a
  /// new forecast only when its own has left the interval that the others know.
  int exchange_every = 1;
  int horizon = 1;  ///< forecasts from this many iterations before (exchange_every 1 only)
  /// A model sees every so many phases one, about as in a process whose phases are short against it
  /// (libpat/agreement/fed_model.hpp); exchange_every and horizon 1 only.
  int thin = 1;
  bool hints = true;       ///< models are given the trace's hints when a phase begins
  std::uint64_t seed = 1;  ///< of the edges' noise
};

/// What was forecast. Rows are iterations, columns ranks, as in the trace; seconds.
struct Replay {
  std::vector<double> arrival_s, lower_s, upper_s;
  std::vector<char> known;  ///< whether there was a forecast
  double exchanges = 0.0;   ///< forecasts sent, per rank and iteration
};

/// Called now and then with what is done and what there is to do.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Throws Error(argument) for an unknown model or options out of range.
Replay replay(const Trace& trace, const ReplayOptions& options, const Progress& progress = {});

/// Forecasts made elsewhere: a trace whose rows are the forecasts for `trace`. Throws
/// Error(argument) if the shapes differ.
Replay replay_of(const Trace& trace, const Trace& forecasts);

}  // namespace pat::study
