#include "analysis/advice.hpp"

#include <algorithm>
#include <vector>

#include "analysis/forecasts.hpp"
#include "analysis/words.hpp"
#include "collectives/call_name.hpp"
#include "collectives/operation_row.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

constexpr double worth = 0.01;           // of the elapsed time
constexpr double least_worth_s = 1e-3;   // below, nobody sees it
constexpr double better_forecast = 0.6;  // error with an edge against that without

Json line(const char* kind, double saved_s, const std::string& sentence) {
  return {{"kind", kind}, {"saved_s", saved_s}, {"sentence", sentence}};
}

std::string quoted_place(const Json& one) {
  return "'" + cut_place(one["place"], longest_place) + "'";
}

/// Whether reproducible reductions keep it from following the arrivals.
bool is_kept_in_order(const Json& place, bool reproducible) {
  const auto call = parse_call_name(place["place"].get<std::string>());
  return reproducible && call && row(call->operation).combines;
}

/// How many meet there.
double processes_at(const Json& findings, const Json& place) {
  for (const Json& one : findings["places"])
    if (one["place"] == place) return one["processes"];
  return findings["processes"];
}

/// Whether few of many calls made most of what others waited for the rank: then it is not its work.
bool is_seldom_late(const Json& culprit) {
  constexpr int many = 8;
  return culprit["iterations"].get<int>() >= many &&
         culprit["in_few_calls_s"].get<double>() >= 0.5 * culprit["charged_s"].get<double>();
}

/// Elapsed seconds without the rank's lateness there; without that of few calls at least what the
/// others waited in the mean.
double saved_s_of(const Json& findings, const Json& culprit) {
  if (!is_seldom_late(culprit)) return culprit["saved_if_on_time_s"];
  return culprit["in_few_calls_s"].get<double>() / (processes_at(findings, culprit["place"]) - 1.0);
}

std::string rank_of(const Json& one) {
  return "rank " + std::to_string(one["rank"].get<int>());
}

Json on_time(const Json& culprit, double saved_s) {
  return line("rank", saved_s,
              rank_of(culprit) + " on time at " + quoted_place(culprit) + " would save " +
                  seconds_text(saved_s) + ": give it less work there, or a faster core");
}

/// Calls count from 0, as everywhere.
Json not_stopped(const Json& culprit, double saved_s) {
  const int few = culprit["few_calls"], latest = culprit["latest_in_call"];
  const std::string kept = rank_of(culprit) + " kept the others " + seconds_text(saved_s) + " in ";
  const std::string where = " of " + quoted_place(culprit);
  if (few > 1)
    return line("stop", saved_s,
                kept + std::to_string(few) + " of " +
                    std::to_string(culprit["iterations"].get<int>()) + " calls" + where +
                    ", longest in call " + std::to_string(latest) + ": what keeps it then?");
  if (latest == 0)
    return line("stop", saved_s,
                kept + "the first call" + where + ": what does it do before, alone?");
  return line("stop", saved_s,
              kept + "call " + std::to_string(latest) + where +
                  ", longer than in all others: what stopped it then?");
}

void ranks_on_time(const Json& findings, double least_s, std::vector<Json>& advice) {
  for (const Json& culprit : findings["culprits"]) {
    const double saved_s = saved_s_of(findings, culprit);
    if (saved_s < least_s) continue;
    advice.push_back((is_seldom_late(culprit) ? not_stopped : on_time)(culprit, saved_s));
  }
}

/// A rank that is late at many places, of which none tells the most of it.
void ranks_on_time_everywhere(const Json& findings, double least_s, std::vector<Json>& advice) {
  for (const Json& rank : findings["ranks"]) {
    const double saved_s = rank["saved_if_on_time_s"];
    if (saved_s < least_s) continue;
    double at_one_s = 0.0;
    for (const Json& culprit : findings["culprits"])
      if (culprit["rank"] == rank["rank"])
        at_one_s = std::max(at_one_s, saved_s_of(findings, culprit));
    if (at_one_s >= 0.5 * saved_s) continue;
    advice.push_back(line("rank", saved_s,
                          rank_of(rank) + " on time at all places would save " +
                              seconds_text(saved_s) + ": give it less work, or a faster core"));
  }
}

/// Whether one rank explains nearly all of what equal work on all ranks would save: one line is
/// enough.
bool is_of_one_rank(const Json& findings, const Json& place) {
  constexpr double nearly_all = 0.9;
  return std::ranges::any_of(findings["culprits"], [&](const Json& culprit) {
    return culprit["place"] == place["place"] &&
           saved_s_of(findings, culprit) >= nearly_all * place["saved_if_balanced_s"].get<double>();
  });
}

/// An algorithm that would have saved enough by simulation, by name; where nothing was simulated,
/// how much any could save by the bound.
void algorithms(const Json& place, double least_s, bool reproducible, std::vector<Json>& advice) {
  const std::string where = quoted_place(place);
  const std::string kept = is_kept_in_order(place, reproducible)
                               ? "; PAT_REPRODUCIBLE=0 lets it follow the arrivals"
                               : "";
  if (const Json played = place.value("played", Json()); !played.is_null()) {
    const double saved_s = played.at("saved_s");
    if (played.at("algorithm").is_null() || saved_s < least_s) return;
    const auto call = parse_call_name(place["place"].get<std::string>());
    const std::string algorithm = played["algorithm"];
    advice.push_back(
        line("algorithm", saved_s,
             algorithm + " would save " + seconds_text(saved_s) + " of " +
                 seconds_text(played.at("as_done_s")) + " at " + where + " (simulated)" +
                 (call ? ": PAT_ALG=" + std::string(name(call->operation)) + "=" + algorithm : "") +
                 kept));
    return;
  }
  const Json& bounded = place["recoverable_s"];
  if (bounded.is_null() || bounded.get<double>() < least_s) return;
  advice.push_back(
      line("algorithm", bounded,
           "an algorithm that moves data while others are late could save up to " +
               seconds_text(bounded) + " at " + where + " (a bound)" +
               (kept.empty() ? ": its calls say what was taken there, and why" : kept)));
}

/// What it is worth at most to know the arrivals better: by simulation, or by the bound.
double worth_knowing_s(const Json& place) {
  const Json played = place.value("played", Json());
  if (!played.is_null())
    return played.at("saved_if_known_s").get<double>() - played.at("saved_s").get<double>();
  return place["recoverable_s"].is_null() ? 0.0 : place["recoverable_s"].get<double>();
}

/// "PAT_PREDICTOR=ensemble": the model, and whether it has that from the program's hints.
std::string named_model(const Json& better) {
  const double error_s = better.at("mean_error_s");
  const Json& without_s = better.at("mean_error_without_hints_s");
  const bool by_hints = !without_s.is_null() && error_s < better_forecast * without_s.get<double>();
  return "PAT_PREDICTOR=" + better.at("model").get<std::string>() +
         (by_hints ? ", which goes by the program's hints," : "");
}

/// What would cut the error of the forecasts: an edge, or another model.
void forecasts(const Json& place, double least_s, std::vector<Json>& advice) {
  const Json& forecast = place["forecast"];
  if (forecast.is_null()) return;
  const double error_s = forecast["mean_error_s"];
  if (error_s <= wrong_forecast * place["mean_imbalance_s"].get<double>()) return;
  const auto cuts = [&](const char* kind, const std::string& what, double to_s) {
    const double saved_s = worth_knowing_s(place) * (1.0 - to_s / error_s);
    if (to_s >= better_forecast * error_s || saved_s < least_s) return;
    advice.push_back(line(kind, saved_s,
                          what + " would cut the forecasts' error before " + quoted_place(place) +
                              " from " + seconds_text(error_s) + " to " + seconds_text(to_s) +
                              ", and so save up to " + seconds_text(saved_s)));
  };
  cuts("edge", "PAT_Edge(0.9) in the phase", forecast["mean_error_with_edge_s"]);
  const Json better = forecast.value("better_model", Json());
  if (!better.is_null()) cuts("predictor", named_model(better), better.at("mean_error_s"));
}

void places(const Json& findings, double least_s, bool reproducible, std::vector<Json>& advice) {
  for (const Json& place : findings["places"]) {
    const double balanced_s = place["saved_if_balanced_s"];
    if (balanced_s >= least_s && !is_of_one_rank(findings, place))
      advice.push_back(line("balance", balanced_s,
                            "equal work on all ranks before " + quoted_place(place) +
                                " would save " + seconds_text(balanced_s)));
    algorithms(place, least_s, reproducible, advice);
    forecasts(place, least_s, advice);
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
  ranks_on_time_everywhere(findings, least_s, advice);
  places(findings, least_s, reproducible, advice);
  std::stable_sort(advice.begin(), advice.end(), [](const Json& a, const Json& b) {
    return a["saved_s"].get<double>() > b["saved_s"].get<double>();
  });
  constexpr std::size_t most = 10;
  if (advice.size() > most) advice.resize(most);
  return Json(advice);
}

}  // namespace pat
