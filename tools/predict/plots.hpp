#pragma once

#include <vector>

#include "core/trace.hpp"
#include "tools/predict/rows.hpp"

namespace pat::predict {

/// Arrivals of the first four ranks with the forecast of each model (seed 004 Fig. 5), into
/// `options.plot`. Each of these throws Error(io) if gnuplot or the file fails.
void plot_fit(const Options& options, const Trace& trace);
/// Mean absolute error of each model against the horizon, into `options.plot_horizon`.
void plot_horizon(const Options& options, const Trace& trace);
/// What is kept of the gain against how often forecasts are sent: a line a trace and model over the
/// fixed periods, a star for sending on leaving the interval; into `options.plot_exchange`. Throws
/// Error(argument) too, if there is nothing to gain.
void plot_exchange(const Options& options, const std::vector<Row>& rows);

}  // namespace pat::predict
