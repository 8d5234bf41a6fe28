#pragma once

#include <functional>

#include "collectives/cost/calibration.hpp"
#include "predictors/predictor.hpp"

namespace pat::detail {

// What measurements change in the running session; for `pat calibrate` and the tests. Each throws
// Error(order) without a session.

/// From now on `auto` goes by these costs on this process.
void use_costs(const Calibration& calibration);

/// Each forecast goes through `filter` before it is reported, as a broken or wrong predictor
/// would change it; null: as it is. Called by whichever thread makes the report.
void filter_forecasts(std::function<Forecast(const Forecast&)> filter);

}  // namespace pat::detail
