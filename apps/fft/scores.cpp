// What each model would have said about the arrivals that were measured.

#include <algorithm>
#include <cmath>
#include <memory>

#include "apps/fft/measurement.hpp"
#include "predictors/predictor.hpp"

namespace pat::fft {
namespace {

// Fills `predicted_s` with the arrivals that the models (one a process) expect at the edge; false
// if one of them knows nothing yet.
bool predict_arrivals(const std::vector<std::unique_ptr<Predictor>>& models, const Call& call,
                      std::vector<double>& predicted_s) {
  bool all_known = true;
  for (std::size_t rank = 0; rank < models.size(); ++rank) {
    const Times& times = call.ranks[rank];
    models[rank]->observe_edge(0.5, times.edge_s - times.start_s);
    const Forecast forecast = models[rank]->forecast();
    all_known = all_known && forecast.known;
    predicted_s[rank] = forecast.known ? times.start_s + forecast.mean_s : NAN;
  }
  return all_known;
}

std::size_t last_of(const std::vector<double>& arrivals_s) {
  return static_cast<std::size_t>(std::max_element(arrivals_s.begin(), arrivals_s.end()) -
                                  arrivals_s.begin());
}

Score score(std::span<const Call> calls, const std::string& name) {
  const std::size_t ranks = calls.empty() ? 0 : calls.front().ranks.size();
  std::vector<std::unique_ptr<Predictor>> models(ranks);
  for (auto& model : models) model = make_predictor(name);
  Score result{.model = name};
  double error_sum_s = 0.0;
  std::size_t hits = 0;
  std::vector<double> predicted_s(ranks), actual_s(ranks);
  for (const Call& call : calls) {
    const bool all_known = predict_arrivals(models, call, predicted_s);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const Times& times = call.ranks[rank];
      actual_s[rank] = times.end_s;
      models[rank]->observe({.computing_s = times.end_s - times.start_s, .hints = {}});
      if (std::isnan(predicted_s[rank])) continue;
      error_sum_s += std::abs(predicted_s[rank] - actual_s[rank]);
      ++result.forecasts;
    }
    if (!all_known) continue;
    ++result.orders;
    if (last_of(predicted_s) == last_of(actual_s)) ++hits;
  }
  if (result.forecasts > 0)
    result.mean_absolute_error_s = error_sum_s / static_cast<double>(result.forecasts);
  if (result.orders > 0)
    result.last_arriver_share = static_cast<double>(hits) / static_cast<double>(result.orders);
  return result;
}

}  // namespace

std::vector<Score> score_models(std::span<const Call> calls, std::span<const std::string> models) {
  std::vector<Score> scores;
  for (const std::string& model : models) scores.push_back(score(calls, model));
  return scores;
}

}  // namespace pat::fft
