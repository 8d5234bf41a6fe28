#include "analysis/forecasts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "predictors/predictor.hpp"

namespace pat {
namespace {

using Hints = std::vector<std::pair<std::string, double>>;

std::size_t at(const Trace& trace, int iteration, int rank) {
  return static_cast<std::size_t>(iteration) * static_cast<std::size_t>(trace.ranks) +
         static_cast<std::size_t>(rank);
}

Hints hints_of(const Trace& trace, int iteration, int rank) {
  Hints given;
  for (const Trace::Hint& hint : trace.hints)
    if (const double value = hint.value[at(trace, iteration, rank)]; !std::isnan(value))
      given.emplace_back(hint.name, value);
  return given;
}

/// Computing times until that share of the phases was said to be done; null: the trace has none.
const Trace::Edge* recorded_edge(const Trace& trace, double fraction) {
  const auto found =
      std::ranges::find(trace.edges, rounded_fraction(fraction), &Trace::Edge::fraction);
  return fraction > 0.0 && found != trace.edges.end() ? &*found : nullptr;
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
  const Trace::Edge* const recorded = recorded_edge(trace, how.edge);
  ForetoldRank found;
  for (int i = std::max(0, how.first); i < std::min(how.until, trace.iterations()); ++i) {
    found.arrival_s.push_back(trace.arrival(i, rank));
    if (trace.computing(i, rank) == 0.0) {  // too short to be looked at, and so to be foretold
      found.forecast.emplace_back();
      continue;
    }
    const Observation phase{trace.computing(i, rank),
                            how.hints ? hints_of(trace, i, rank) : Hints{}};
    const double start_s = trace.arrival(i, rank) - phase.computing_s;  // pauses count as before it
    for (const auto& [name, value] : phase.hints) predictor->observe_hint(name, value);
    if (how.edge > 0.0) {
      const double said_s =
          recorded != nullptr ? recorded->time_s[at(trace, i, rank)] : std::nan("");
      predictor->observe_edge(how.edge, std::isnan(said_s) ? how.edge * phase.computing_s : said_s);
    }
    Forecast forecast = predictor->forecast();
    forecast.mean_s += start_s;
    forecast.lower_s += start_s;
    forecast.upper_s += start_s;
    found.forecast.push_back(forecast);
    predictor->observe(phase);
  }
  return found;
}

}  // namespace pat
