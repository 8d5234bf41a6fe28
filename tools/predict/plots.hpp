#pragma once

#include <vector>

#include "tools/predict/rows.hpp"

namespace pat::predict {

/// Arrivals of the first four ranks, on one scale, with the forecast of each model (seed 004 Fig.
/// 5), into `options.plot`. Each of these throws Error(io) if gnuplot or the file fails.
void plot_fit(const Options& options, const Subject& subject);
/// Mean absolute error of each model against the horizon, into `options.plot_horizon`.
void plot_horizon(const Options& options, const Subject& subject);
/// What is kept of the gain against how often forecasts are sent: a line a trace and model over the
/// fixed periods, a star for sending on leaving the interval; into `options.plot_exchange`. Where
/// nothing is to be gained there is nothing to draw, and standard error says so.
void plot_exchange(const Options& options, const std::vector<Subject>& subjects,
                   const std::vector<Row>& rows);

}  // namespace pat::predict
