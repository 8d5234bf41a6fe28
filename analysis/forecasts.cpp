#include "analysis/forecasts.hpp"

#include <algorithm>
#include <cmath>

#include "predictors/predictor.hpp"

namespace pat {

double ForetoldRank::mean_error_s() const {
  double sum = 0.0;
  int known = 0;
  for (std::size_t i = 0; i < arrival_s.size(); ++i)
    if (forecast[i].known) {
      sum += std::abs(forecast[i].mean_s - arrival_s[i]);
      ++known;
    }
  return known > 0 ? sum / known : 0.0;
}

double ForetoldRank::coverage() const {
  int known = 0, held = 0;
  for (std::size_t i = 0; i < arrival_s.size(); ++i)
    if (forecast[i].known) {
      ++known;
      held += forecast[i].lower_s <= arrival_s[i] && arrival_s[i] <= forecast[i].upper_s;
    }
  return known > 0 ? static_cast<double>(held) / known : 1.0;
}

bool has_computing(const Trace& trace) {
  return std::ranges::any_of(trace.computing_s, [](double one) { return one > 0.0; });
}

ForetoldRank foretell(const Trace& trace, int rank, const std::string& model, int first,
                      double edge) {
  const auto predictor = make_predictor(model);
  ForetoldRank found;
  for (int i = std::max(0, first); i < trace.iterations(); ++i) {
    const double computing_s = trace.computing(i, rank);
    const double start_s = trace.arrival(i, rank) - computing_s;  // pauses count as before it
    if (edge > 0.0) predictor->observe_edge(edge, edge * computing_s);
    Forecast forecast = predictor->forecast();
    forecast.mean_s += start_s;
    forecast.lower_s += start_s;
    forecast.upper_s += start_s;
    found.arrival_s.push_back(trace.arrival(i, rank));
    found.forecast.push_back(forecast);
    predictor->observe({computing_s, {}});
  }
  return found;
}

}  // namespace pat
