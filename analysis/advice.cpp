#include "analysis/advice.hpp"

#include <algorithm>
#include <vector>

#include "analysis/words.hpp"
#include "collectives/call_name.hpp"
#include "collectives/operation_row.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

constexpr double worth = 0.01;             // of the elapsed time
constexpr double least_worth_s = 1e-3;     // below, nobody sees it
constexpr std::size_t longest_place = 90;  // so that a sentence is three lines of a screen at most
constexpr double wrong_forecast =
    0.25;  // error against imbalance from which on an edge is looked at
constexpr double better_forecast = 0.6;  // error with an edge against that without

Json line(const char* kind, double saved_s, const std::string& sentence) {
  return {{"kind", kind}, {"saved_s", saved_s}, {"sentence", sentence}};
}

std::string quoted_place(const Json& one) {
  return "'" + cut_middle(one["place"], longest_place) + "'";
}

/// Whether reproducible reductions keep it from following the arrivals.
bool is_kept_in_order(const Json& place, bool reproducible) {
  const auto call = parse_call_name(place["place"].get<std::string>());
  return reproducible && call && row(call->operation).combines;
}

void ranks_on_time(const Json& findings, double least_s, std::vector<Json>& advice) {
  for (const Json& culprit : findings["culprits"]) {
    const double saved_s = culprit["saved_if_on_time_s"];
    if (saved_s < least_s) continue;
    advice.push_back(line("rank", saved_s,
                          "rank " + std::to_string(culprit["rank"].get<int>()) + " on time at " +
                              quoted_place(culprit) + " would save " + seconds_text(saved_s) +
                              ": give it less work there, or a faster core"));
  }
}

void places(const Json& findings, double least_s, bool reproducible, std::vector<Json>& advice) {
  for (const Json& place : findings["places"]) {
    const std::string where = quoted_place(place);
    const double balanced_s = place["saved_if_balanced_s"];
    if (balanced_s >= least_s)
      advice.push_back(line(
          "balance", balanced_s,
          "equal work on all ranks before " + where + " would save " + seconds_text(balanced_s)));
    const Json& bounded = place["recoverable_s"];
    const double hidden_s = bounded.is_null() ? 0.0 : bounded.get<double>();
    if (hidden_s >= least_s)
      advice.push_back(line("algorithm", hidden_s,
                            "an algorithm that moves data while others are late could save up to " +
                                seconds_text(hidden_s) + " at " + where + " (a bound)" +
                                (is_kept_in_order(place, reproducible)
                                     ? "; PAT_REPRODUCIBLE=0 lets it follow the arrivals"
                                     : ": its calls say what was taken there, and why")));
    const Json& forecast = place["forecast"];
    if (forecast.is_null()) continue;
    const double error_s = forecast["mean_error_s"],
                 with_edge_s = forecast["mean_error_with_edge_s"];
    if (error_s > wrong_forecast * place["mean_imbalance_s"].get<double>() &&
        with_edge_s < better_forecast * error_s &&
        hidden_s * (1.0 - with_edge_s / error_s) >= least_s)
      advice.push_back(line("edge", hidden_s * (1.0 - with_edge_s / error_s),
                            "PAT_Edge(0.9) in the phase before " + where +
                                " would cut the forecasts' error from " + seconds_text(error_s) +
                                " to " + seconds_text(with_edge_s)));
  }
}

}  // namespace

Json advice_of(const Json& findings, bool reproducible) {
  const Json& wall_s = findings["wall_s"];
  const double run_s =
      std::max(findings["elapsed_s"].get<double>(), wall_s.is_null() ? 0.0 : wall_s.get<double>());
  const double least_s = std::max(least_worth_s, worth * run_s);
  std::vector<Json> advice;
  ranks_on_time(findings, least_s, advice);
  places(findings, least_s, reproducible, advice);
  std::stable_sort(advice.begin(), advice.end(), [](const Json& a, const Json& b) {
    return a["saved_s"].get<double>() > b["saved_s"].get<double>();
  });
  constexpr std::size_t most = 10;
  if (advice.size() > most) advice.resize(most);
  return Json(advice);
}

}  // namespace pat
