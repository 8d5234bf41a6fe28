#include "analysis/forecasts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "predictors/predictor.hpp"

namespace pat {
namespace {

using Hints = std::vector<std::pair<std::string, double>>;

Hints hints_of(const Trace& trace, int iteration, int rank) {
  Hints given;
  for (const Trace::Hint& hint : trace.hints) {
    const double value =
        hint.value[static_cast<std::size_t>(iteration) * static_cast<std::size_t>(trace.ranks) +
                   static_cast<std::size_t>(rank)];
    if (!std::isnan(value)) given.emplace_back(hint.name, value);
  }
  return given;
}

}  // namespace

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

ForetoldRank foretell(const Trace& trace, int rank, const Foretelling& how) {
  const auto predictor = make_predictor(how.model);
  ForetoldRank found;
  for (int i = std::max(0, how.first); i < std::min(how.until, trace.iterations()); ++i) {
    const Observation phase{trace.computing(i, rank),
                            how.hints ? hints_of(trace, i, rank) : Hints{}};
    const double start_s = trace.arrival(i, rank) - phase.computing_s;  // pauses count as before it
    for (const auto& [name, value] : phase.hints) predictor->observe_hint(name, value);
    if (how.edge > 0.0) predictor->observe_edge(how.edge, how.edge * phase.computing_s);
    Forecast forecast = predictor->forecast();
    forecast.mean_s += start_s;
    forecast.lower_s += start_s;
    forecast.upper_s += start_s;
    found.arrival_s.push_back(trace.arrival(i, rank));
    found.forecast.push_back(forecast);
    predictor->observe(phase);
  }
  return found;
}

}  // namespace pat
