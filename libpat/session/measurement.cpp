#include "libpat/session/measurement.hpp"

#include "libpat/session/session.hpp"

namespace pat::detail {

void use_costs(const Calibration& calibration) {
  Session& session = Session::get("use_costs");
  session.under_lock([&](Locked&) { session.calibration = calibration; });
}

void filter_forecasts(std::function<Forecast(const Forecast&)> filter) {
  Session& session = Session::get("filter_forecasts");
  session.under_lock([&](Locked&) { session.negotiation.forecast_filter = std::move(filter); });
}

}  // namespace pat::detail
