#include "analysis/findings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "analysis/advice.hpp"
#include "analysis/forecasts.hpp"
#include "analysis/lateness.hpp"
#include "analysis/levels.hpp"
#include "analysis/map.hpp"
#include "analysis/played.hpp"
#include "analysis/summary.hpp"
#include "analysis/ways.hpp"
#include "analysis/what_if.hpp"
#include "analysis/words.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_culprits = 50, most_places = 40, most_maps = 4, most_changes = 50;
constexpr std::size_t most_played = 4;  // places, as simulations take long
constexpr int most_rows = 128, most_columns = 400, bins = 32, most_foretold = 300;

/// Six digits: what a page shows, and no longer.
double shortened(double value) {
  if (value == 0.0 || !std::isfinite(value)) return 0.0;
  const double scale = std::pow(10.0, 5.0 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

Json shortened(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(shortened(value));
  return list;
}

/// Of all ranks, what lies between two calls without a phase that was looked at: under `pat run`
/// those of less than a millisecond are not. Nothing is known of it where calls of other processes
/// lie between.
double unseen_s(const std::vector<Trace>& traces) {
  if (traces.size() != 1) return 0.0;
  const Trace& trace = traces.front();
  if (trace.start_s.empty() || trace.left_s.empty()) return 0.0;
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  double unseen = 0.0;
  for (std::size_t i = ranks; i < trace.arrival_s.size() && i < trace.computing_s.size(); ++i)
    if (trace.computing_s[i] == 0.0)
      unseen += std::max(0.0, trace.start_s[i / ranks] + trace.arrival_s[i] -
                                  trace.start_s[i / ranks - 1] - trace.left_s[i - ranks]);
  return unseen;
}

/// Lists of times of the same ranks.
struct RankSums {
  std::vector<double> computing_s, waited_s, charged_s, saved_s, elapsed_s, in_messages_s;
  std::vector<long> times_last;
  explicit RankSums(int ranks) {
    for (auto* list : {&computing_s, &waited_s, &charged_s, &saved_s, &elapsed_s, &in_messages_s})
      list->resize(static_cast<std::size_t>(ranks));
    times_last.resize(static_cast<std::size_t>(ranks));
  }
  void add(const Lateness& one, const std::vector<double>& saved, const std::vector<int>& group) {
    for (std::size_t r = 0; r < group.size(); ++r) {
      const auto rank = static_cast<std::size_t>(group[r]);
      computing_s[rank] += one.computing_s[r];
      waited_s[rank] += one.waited_s[r];
      charged_s[rank] += one.charged_s[r];
      saved_s[rank] += saved[r];
      times_last[rank] += one.times_last[r];
    }
  }
};

/// A list of what did the calls of a place; `gained` becomes greater by what that saved.
Json algorithms(const Trace& trace, std::optional<Estimate>& gained) {
  Json list = Json::array();
  for (const Way& way : ways_of(trace)) {
    list.push_back({{"algorithm", way.algorithm},
                    {"calls", way.calls},
                    {"after_last_s", way.after_last_s},
                    {"gained_s", nullptr},
                    {"gained_lower_s", nullptr},
                    {"gained_upper_s", nullptr}});
    if (!way.gained_s) continue;
    list.back()["gained_s"] = way.gained_s->value_s;
    list.back()["gained_lower_s"] = way.gained_s->lower_s;
    list.back()["gained_upper_s"] = way.gained_s->upper_s;
    if (!gained) gained.emplace();
    gained->value_s += way.gained_s->value_s;
    gained->lower_s += way.gained_s->lower_s;
    gained->upper_s += way.gained_s->upper_s;
  }
  return list;
}

/// The model that erred least of some that go by different things, if the run's own does not; null
/// where that errs little. The regression goes by hints, and is asked where there are any.
Json better_model(const Trace& trace, int rank, Foretelling how, double error_s,
                  double mean_imbalance_s) {
  if (error_s <= wrong_forecast * mean_imbalance_s) return nullptr;
  const std::string own = how.model;
  std::vector<std::string> models = {"ensemble", "last", "median:9", "seasonal"};
  if (!trace.hints.empty()) models.emplace_back("regression");
  Json best = nullptr;
  double least_s = error_s;
  for (const std::string& model : models) {
    if (model == own) continue;
    how.model = model;
    how.hints = true;
    const double with_s = foretell(trace, rank, how).mean_error_s();
    if (with_s >= least_s) continue;
    least_s = with_s;
    how.hints = false;
    best = {
        {"model", model},
        {"mean_error_s", with_s},
        {"mean_error_without_hints_s",
         trace.hints.empty() ? Json(nullptr) : Json(foretell(trace, rank, how).mean_error_s())}};
  }
  return best;
}

/// The share of the phase at which the program says last how far it is; 0: it does not.
double last_edge(const Trace& trace) {
  double latest = 0.0;
  for (const Trace::Edge& edge : trace.edges) latest = std::max(latest, edge.fraction);
  return latest;
}

/// Null where no computing was recorded: then nobody foretold any.
Json foretold(const Trace& trace, int rank, int session_rank, const std::string& model,
              double mean_imbalance_s) {
  if (!has_computing(trace)) return nullptr;
  // Models need some phases before the first that is shown.
  const int shown = std::min(trace.iterations(), most_foretold);
  Foretelling how{.model = model,
                  .first = std::max(0, trace.iterations() - 2 * most_foretold),
                  .edge = last_edge(trace)};
  const ForetoldRank found = foretell(trace, rank, how);
  Foretelling late = how;
  late.edge = std::max(0.9, how.edge);
  const ForetoldRank with_edge = foretell(trace, rank, late);
  Json arrival = Json::array(), mean = Json::array(), lower = Json::array(), upper = Json::array();
  for (std::size_t i = found.arrival_s.size() - static_cast<std::size_t>(shown);
       i < found.arrival_s.size(); ++i) {
    const Forecast& one = found.forecast[i];
    arrival.push_back(shortened(found.arrival_s[i]));
    mean.push_back(one.known ? Json(shortened(one.mean_s)) : Json(nullptr));
    lower.push_back(one.known ? Json(shortened(one.lower_s)) : Json(nullptr));
    upper.push_back(one.known ? Json(shortened(one.upper_s)) : Json(nullptr));
  }
  return {{"rank", session_rank},
          {"model", model},
          {"first_iteration", trace.iterations() - shown},
          {"mean_error_s", found.mean_error_s()},
          {"mean_error_with_edge_s", with_edge.mean_error_s()},
          {"better_model", better_model(trace, rank, how, found.mean_error_s(), mean_imbalance_s)},
          {"coverage", found.coverage()},
          {"arrival_s", arrival},
          {"forecast_s", mean},
          {"lower_s", lower},
          {"upper_s", upper}};
}

Json described(const std::optional<Played>& played) {
  if (!played) return nullptr;
  return {{"algorithm", played->algorithm.empty() ? Json(nullptr) : Json(played->algorithm)},
          {"calls", played->calls},
          {"as_done_s", played->as_done_s},
          {"saved_s", played->saved_s},
          {"saved_if_known_s", played->saved_if_known_s}};
}

class Analysis {
 public:
  explicit Analysis(const RunRecord& run) : run_(run), sums_(run.ranks) {
    for (const Trace& trace : run.traces) {
      knows_ends_ &= !trace.left_s.empty();
      if (trace.places.empty()) ++groups_at_[trace.region];
      for (const std::string& place : trace.places) ++groups_at_[place];
    }
    for (std::size_t g = 0; g < run.traces.size(); ++g) {
      // Of all places at once: a call at another place is none of waiting in messages.
      const std::vector<double> waiting_s = in_messages_s(run.traces[g]);
      knows_messages_ &= !waiting_s.empty();
      for (std::size_t i = 0; i < waiting_s.size(); ++i)
        sums_.in_messages_s[static_cast<std::size_t>(run.groups[g][i % run.groups[g].size()])] +=
            waiting_s[i];
      const std::vector<double> kept = kept_s(run.traces[g], waiting_s);
      int place = 0;
      for (const Trace& trace : by_place(run.traces[g])) {
        if (trace.iterations() > 0) {
          add(trace, run.groups[g],
              {rows_at_place(run.traces[g], place, waiting_s),
               rows_at_place(run.traces[g], place, kept)});
          where_.push_back({g, place});
        }
        ++place;
      }
      const double elapsed = elapsed_s(run.traces[g]) * threads_in(run.traces[g]);
      for (const int rank : run.groups[g])
        sums_.elapsed_s[static_cast<std::size_t>(rank)] += elapsed;
    }
    play_places();
  }

  Json result() {
    Json found;
    headline(found);
    sort_by(culprits_, "charged_s", most_culprits);
    sort_by(places_, "skew_s", most_places);
    found["culprits"] = culprits_;
    found["ranks"] = ranks();
    found["places"] = places_;
    found["maps"] = maps();
    found["level_changes"] = changes();
    found["advice"] = advice_of(found, run_.reproducible);
    found["summary"] = summary_of(found);
    return found;
  }

 private:
  /// Seconds before each arrival: what in_messages_s and kept_s say.
  struct Before {
    std::vector<double> waiting_s, kept_s;
    std::vector<double> without_work_s() const {
      if (kept_s.empty()) return waiting_s;
      std::vector<double> sum = kept_s;
      for (std::size_t i = 0; i < waiting_s.size(); ++i) sum[i] += waiting_s[i];
      return sum;
    }
  };

  void add(const Trace& trace, const std::vector<int>& group, const Before& before) {
    const Lateness lateness = lateness_of(trace, before.without_work_s());
    const std::vector<double> saved = saved_if_on_time_s(trace, before.waiting_s, before.kept_s);
    const std::string where = name_of_place(trace, group);
    sums_.add(lateness, saved, group);
    skew_s_ += lateness.skew_s;
    for (std::size_t r = 0; r < group.size(); ++r)
      if (lateness.charged_s[r] > 0.0)
        culprits_.push_back({{"rank", group[r]},
                             {"place", where},
                             {"charged_s", lateness.charged_s[r]},
                             {"share", 0.0},
                             {"times_last", lateness.times_last[r]},
                             {"iterations", trace.iterations()},
                             {"few_calls", lateness.few[r]},
                             {"in_few_calls_s", lateness.few_s[r]},
                             {"latest_in_call", lateness.most_in[r]},
                             {"saved_if_on_time_s", saved[r]}});
    for (const LevelChange& one : level_changes(trace))
      changes_.push_back({{"rank", group[static_cast<std::size_t>(one.rank)]},
                          {"place", where},
                          {"first_call", one.first_call},
                          {"calls", one.calls},
                          {"size_s", one.size_s},
                          {"added_s", one.added_s()},
                          {"for_good", one.for_good}});
    places_.push_back(place(trace, group, lateness, before));
    const Json& bounded = places_.back()["recoverable_s"];
    bounded_ |= !bounded.is_null();
    if (!bounded.is_null())
      recoverable_wait_s_ += std::min(lateness.skew_s, bounded.get<double>() * trace.ranks);
  }

  /// Plays those where most was waited and something can be chosen.
  void play_places() {
    std::vector<std::size_t> order;
    for (std::size_t p = 0; p < places_.size(); ++p)
      if (parse_call_name(places_[p]["place"].get<std::string>())) order.push_back(p);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return places_[a]["skew_s"].get<double>() > places_[b]["skew_s"].get<double>();
    });
    if (order.size() > most_played) order.resize(most_played);
    for (const std::size_t p : order) {
      const Trace& whole = run_.traces[where_[p].group];
      const Trace trace = whole.places.empty() ? whole : at_place(whole, where_[p].place);
      places_[p]["played"] =
          described(play(trace, *parse_call_name(trace.region), run_.predictor, run_.network));
    }
  }

  /// Where several groups of processes meet in calls alike, with these.
  std::string name_of_place(const Trace& trace, const std::vector<int>& group) const {
    if (groups_at_.at(trace.region) < 2) return trace.region;
    return trace.region.empty() ? in_words(group) : trace.region + ", " + in_words(group);
  }

  Json place(const Trace& trace, const std::vector<int>& group, const Lateness& lateness,
             const Before& before) {
    const auto call = parse_call_name(trace.region);
    std::optional<double> recoverable;
    if (call) recoverable = recoverable_s(trace, *call, run_.network);
    const Histogram histogram = histogram_of(trace, bins);
    double imbalance_s = 0.0;
    for (int i = 0; i < trace.iterations(); ++i) {
      const auto [low, high] = std::ranges::minmax(trace.row(i));
      imbalance_s += high - low;
    }
    const auto worst = static_cast<std::size_t>(std::ranges::max_element(lateness.charged_s) -
                                                lateness.charged_s.begin());
    return {{"place", name_of_place(trace, group)},
            {"processes", trace.ranks},
            {"iterations", trace.iterations()},
            {"elapsed_s", lateness.elapsed_s},
            {"skew_s", lateness.skew_s},
            {"mean_imbalance_s", imbalance_s / trace.iterations()},
            {"saved_if_balanced_s", saved_if_balanced_s(trace, before.waiting_s, before.kept_s)},
            {"recoverable_s", recoverable ? Json(*recoverable) : Json(nullptr)},
            {"played", nullptr},
            {"algorithms", algorithms(trace, gained_)},
            {"histogram", {{"width_s", histogram.width_s}, {"counts", histogram.counts}}},
            {"forecast", foretold(trace, static_cast<int>(worst), group[worst], run_.predictor,
                                  imbalance_s / trace.iterations())}};
  }

  void headline(Json& found) const {
    const double elapsed_s =
        sums_.elapsed_s.empty() ? 0.0 : *std::ranges::max_element(sums_.elapsed_s);
    double waited_s = skew_s_, transfer_s = 0.0;
    if (run_.in_call_s && knows_ends_) {
      for (std::size_t r = 0; r < sums_.waited_s.size(); ++r)
        transfer_s += std::max(0.0, (*run_.in_call_s)[r] - sums_.waited_s[r]);
    } else if (run_.in_call_s) {
      waited_s = 0.0;
      for (std::size_t r = 0; r < sums_.waited_s.size(); ++r) {
        const double in_call_s = (*run_.in_call_s)[r];
        const double waited = std::min(in_call_s, sums_.waited_s[r]);
        waited_s += waited;
        transfer_s += in_call_s - waited;
      }
    }
    // Until the last has left there is transfer, too.
    const double whole_s =
        knows_ends_ ? elapsed_s : elapsed_s + transfer_s / std::max(1, run_.ranks);
    const double recoverable = std::min(waited_s, recoverable_wait_s_);
    const Efficiency efficiency = efficiency_of(sums_.computing_s, whole_s);
    constexpr double most_unseen = 0.1;  // of the time of all
    const bool computed =
        std::ranges::any_of(sums_.computing_s, [](double one) { return one > 0.0; }) &&
        unseen_s(run_.traces) <= most_unseen * whole_s * run_.ranks;
    Json in_messages = nullptr;
    if (knows_messages_ && !places_.empty())
      in_messages = std::accumulate(sums_.in_messages_s.begin(), sums_.in_messages_s.end(), 0.0);
    Json skew_share = nullptr;  // of nothing nobody waited a share
    if (!places_.empty()) skew_share = whole_s > 0.0 ? waited_s / (whole_s * run_.ranks) : 0.0;
    found = {
        {"processes", run_.ranks},
        {"wall_s", run_.wall_s ? Json(*run_.wall_s) : Json(nullptr)},
        {"elapsed_s", whole_s},
        {"skew_s", waited_s},
        {"skew_share", skew_share},
        {"transfer_s", run_.in_call_s ? Json(transfer_s) : Json(nullptr)},
        {"in_collectives_s", run_.in_call_s ? Json(waited_s + transfer_s) : Json(nullptr)},
        {"in_messages_s", in_messages},
        {"recoverable_skew_s", bounded_ ? Json(recoverable) : Json(nullptr)},
        {"balance_only_skew_s", bounded_ ? Json(waited_s - recoverable) : Json(nullptr)},
        {"gained_s", gained_ ? Json(gained_->value_s) : Json(nullptr)},
        {"gained_lower_s", gained_ ? Json(gained_->lower_s) : Json(nullptr)},
        {"gained_upper_s", gained_ ? Json(gained_->upper_s) : Json(nullptr)},
        {"load_balance", computed ? Json(efficiency.load_balance) : Json(nullptr)},
        {"communication_efficiency", computed ? Json(efficiency.communication) : Json(nullptr)},
        {"parallel_efficiency", computed ? Json(efficiency.parallel) : Json(nullptr)}};
  }

  void sort_by(std::vector<Json>& list, const char* key, std::size_t most) {
    std::stable_sort(list.begin(), list.end(), [&](const Json& a, const Json& b) {
      return a[key].get<double>() > b[key].get<double>();
    });
    if (list.size() > most) list.resize(most);
    for (Json& one : list)
      if (one.contains("share") && skew_s_ > 0.0) one["share"] = one[key].get<double>() / skew_s_;
  }

  Json ranks() const {
    Json list = Json::array();
    for (std::size_t r = 0; r < sums_.waited_s.size(); ++r)
      list.push_back({{"rank", r},
                      {"computing_s", shortened(sums_.computing_s[r])},
                      {"waited_s", shortened(sums_.waited_s[r])},
                      {"in_messages_s",
                       knows_messages_ ? Json(shortened(sums_.in_messages_s[r])) : Json(nullptr)},
                      {"charged_s", shortened(sums_.charged_s[r])},
                      {"times_last", sums_.times_last[r]},
                      {"saved_if_on_time_s", shortened(sums_.saved_s[r])}});
    return list;
  }

  /// Those that made most of computing time, longer or shorter, first.
  Json changes() {
    std::stable_sort(changes_.begin(), changes_.end(), [](const Json& a, const Json& b) {
      return std::abs(a["added_s"].get<double>()) > std::abs(b["added_s"].get<double>());
    });
    if (changes_.size() > most_changes) changes_.resize(most_changes);
    return changes_;
  }

  Json maps() const {
    Json list = Json::array();
    for (std::size_t g = 0; g < std::min(most_maps, run_.traces.size()); ++g) {
      const Trace& trace = run_.traces[g];
      if (trace.iterations() == 0) continue;
      const LatenessMap map = map_of(trace, most_rows, most_columns);
      list.push_back({{"processes", run_.groups[g]},
                      {"iterations", trace.iterations()},
                      {"rows", map.rows},
                      {"columns", map.columns},
                      {"latest_s", shortened(map.latest_s)}});
    }
    return list;
  }

  const RunRecord& run_;
  RankSums sums_;
  double skew_s_ = 0.0, recoverable_wait_s_ = 0.0;
  bool bounded_ = false;                  // some place has a bound
  bool knows_ends_ = true;                // when calls were left, of all
  bool knows_messages_ = true;            // what ranks waited in messages, of all
  std::map<std::string, int> groups_at_;  // of processes, of each place
  std::optional<Estimate> gained_;
  std::vector<Json> culprits_, places_, changes_;
  struct Where {
    std::size_t group;  // of processes
    int place;          // of its trace
  };
  std::vector<Where> where_;  // of places_, until they are sorted
};

/// Until the last call of the trace was left; the longest of all traces.
void add_wall_time(const Trace& trace, std::optional<double>& wall_s) {
  if (trace.start_s.empty() || trace.left_s.empty()) return;
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  double last_s = wall_s.value_or(0.0);
  for (std::size_t i = 0; i < trace.left_s.size(); ++i)
    last_s = std::max(last_s, trace.left_s[i] + trace.start_s[i / ranks]);
  wall_s = last_s;
}

void add_time_in_calls(const Trace& trace, const std::vector<int>& group,
                       std::vector<double>& in_call_s) {
  for (std::size_t i = 0; i < trace.left_s.size(); ++i)
    in_call_s[static_cast<std::size_t>(group[i % group.size()])] +=
        std::max(0.0, trace.left_s[i] - trace.arrival_s[i]);
}

}  // namespace

RunRecord record_of(RunTraces traces, const std::string& predictor) {
  RunRecord run;
  run.ranks = traces.ranks;
  run.predictor = predictor;
  run.traces = std::move(traces.traces);
  run.groups = std::move(traces.groups);
  run.in_call_s.emplace(static_cast<std::size_t>(run.ranks));
  for (std::size_t g = 0; g < run.traces.size(); ++g) {
    add_wall_time(run.traces[g], run.wall_s);
    if (run.traces[g].left_s.empty())
      run.in_call_s.reset();  // of some calls nobody knows how long they took
    else if (run.in_call_s)
      add_time_in_calls(run.traces[g], run.groups[g], *run.in_call_s);
  }
  return run;
}

RunRecord record_of(Trace trace, const std::string& predictor) {
  RunTraces all;
  all.ranks = trace.ranks;
  all.groups.emplace_back(static_cast<std::size_t>(trace.ranks));
  std::iota(all.groups.front().begin(), all.groups.front().end(), 0);
  all.traces.push_back(std::move(trace));
  return record_of(std::move(all), predictor);
}

Json findings_of(const RunRecord& run) {
  return Analysis(run).result();
}

}  // namespace pat
