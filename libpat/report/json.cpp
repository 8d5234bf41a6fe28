#include "libpat/report/json.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <optional>
#include <span>

#include "analysis/findings.hpp"
#include "core/machine.hpp"
#include "core/statistics.hpp"
#include "libpat/report/mistakes.hpp"
#include "libpat/report/version.hpp"

namespace pat::detail {
namespace {

using Json = nlohmann::ordered_json;

Json describe(const RegionSum& region) {
  const RegionTotals& totals = region.totals;
  return {{"name", region.name},
          {"regions", totals.regions},
          {"phases", totals.phases},
          {"edges", totals.edges},
          {"computing_s", totals.computing_s},
          {"paused_s", totals.paused_s},
          {"forecast_mean_absolute_error_s",
           totals.errors.count > 0 ? Json(totals.errors.mean_absolute_s()) : Json(nullptr)},
          {"forecasts", totals.errors.count},
          {"instructions", region.instructions},
          {"cycles", region.cycles}};
}

/// Most calls first.
Json describe(const Reasons& reasons) {
  Json list = Json::array();
  for (const Reasons::Count& one : reasons.by_calls())
    list.push_back({{"calls", one.calls}, {"reason", one.latest}});
  return list;
}

/// Null: nothing was simulated.
Json time_or_null(double time_s) {
  return time_s > 0.0 ? Json(time_s) : Json(nullptr);
}

Json describe(const TallyKey& key, const Tally& tally) {
  const Expected& expected = tally.expected;
  return {{"group", key.group},
          {"processes", key.processes},
          {"leader", key.leader},
          {"operation", key.operation},
          {"root", key.root != TallyKey::any_root ? Json(key.root) : Json(nullptr)},
          {"block_bytes", key.block_bytes},
          {"varying", key.varying},
          {"choice", key.choice},
          {"decided", !key.left_to_library},
          {"calls", tally.calls()},
          {"calls_by_algorithm", tally.calls_by_algorithm},
          {"reasons", describe(tally.reasons)},
          {"trials", tally.trials},
          {"lost_to_trials_s", tally.lost_to_trials_s},
          {"expected_s", time_or_null(expected.taken_s)},
          {"expected_of_mpi_s", time_or_null(expected.mpi_s)},
          {"runner_up", expected.runner_up.empty() ? Json(nullptr) : Json(expected.runner_up)},
          {"expected_of_runner_up_s", time_or_null(expected.runner_up_s)},
          {"settled", tally.settled_calls},
          {"begun_in_background", tally.background_calls},
          {"leases_called_back", tally.recalls},
          {"granted_out_of_turn", tally.out_of_turn},
          {"in_call_s", tally.in_call_s},
          {"waited_for_decisions_s", tally.waited_for_decision_s},
          {"longest_wait_for_a_decision_s", tally.longest_decision_wait_s}};
}

/// One line for each stream of a communicator, then one for all streams alike of freed ones.
Json describe(const Snapshot::Stream& stream) {
  Json line;
  if (stream.communicator)
    line = {{"communicator", *stream.communicator}, {"stream", *stream.stream}};
  else
    line = {{"communicator", "freed"}, {"stream", nullptr}};
  line.update(describe(stream.key, stream.tally));
  return line;
}

double imbalance_s(std::span<const double> arrivals) {
  const auto [low, high] = std::minmax_element(arrivals.begin(), arrivals.end());
  return *high - *low;
}

std::vector<double> imbalances_s(const Trace& trace) {
  std::vector<double> all;
  for (int i = 0; i < trace.iterations(); ++i) all.push_back(imbalance_s(trace.row(i)));
  return all;
}

/// One line for each place where a group of processes met, or ended its phases.
Json describe_places(const JoinedJournals& joined) {
  Json places = Json::array();
  for (std::size_t g = 0; g < joined.traces.size(); ++g)
    for (const Trace& trace : by_place(joined.traces[g])) {
      const std::vector<double> imbalances = imbalances_s(trace);
      places.push_back(
          {{"place", trace.region},
           {"processes", joined.groups[g]},
           {"iterations", imbalances.size()},
           {"mean_imbalance_s", mean(imbalances)},
           {"largest_imbalance_s", *std::max_element(imbalances.begin(), imbalances.end())}});
    }
  return places;
}

/// What each process spent in collectives of which the journals know the arrivals; nothing where a
/// process left no word, or no call of PAT's was made: how long the program's own took is not
/// known.
std::optional<std::vector<double>> in_call_s(const Json& processes, int ranks) {
  if (processes.size() != static_cast<std::size_t>(ranks)) return std::nullopt;
  std::vector<double> sums(static_cast<std::size_t>(ranks));
  for (const Json& process : processes)
    for (const Json& stream : process["streams"])
      sums.at(process["rank"].get<std::size_t>()) += stream["in_call_s"].get<double>();
  if (std::all_of(sums.begin(), sums.end(), [](double sum_s) { return sum_s == 0.0; }))
    return std::nullopt;
  return sums;
}

/// What the process runs on. `environment.hosts` of all is made of these.
Json environment(const Snapshot& now) {
  const Machine& machine = this_machine();
  const auto lasted_s = static_cast<std::time_t>(std::llround(now.wall_s));
  return {{"pat", version()},
          {"revision", revision()},
          {"mpi", now.mpi},
          {"hosts", Json::array({machine.host})},
          {"cores", machine.cores},
          {"processor", machine.processor},
          {"kernel", machine.kernel},
          {"begin", utc_text(std::time(nullptr) - lasted_s)},
          {"program", machine.program}};
}

/// The settings that are not at their default.
Json changed_settings(const Config& config) {
  const Config defaults;
  Json list = Json::array();
  for (const Variable& one : variables())
    if (const std::string value = one.show(config); value != one.show(defaults))
      list.push_back({{"name", one.name}, {"value", value}});
  return list;
}

/// The environment of the first process that left a word, with the hosts of all, each once.
class Environments {
 public:
  void add(const Json& one) {
    if (all_.is_null()) {
      all_ = one;
      return;
    }
    Json& hosts = all_["hosts"];
    for (const Json& host : one["hosts"])
      if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  const Json& all() const { return all_; }

 private:
  Json all_;
};

}  // namespace

std::string describe_process(const Snapshot& now) {
  Json process = {{"rank", now.rank},
                  {"environment", environment(now)},
                  {"mpi", now.mpi},
                  {"thread_multiple", now.thread_multiple},
                  {"daemon", now.daemon},
                  {"network",
                   {{"alpha_s", now.network.alpha_s},
                    {"beta_s_per_byte", now.network.beta_s_per_byte},
                    {"gamma_s_per_byte", now.network.gamma_s_per_byte}}},
                  {"wall_s", now.wall_s},
                  {"daemon_cpu_s", now.daemon_cpu_s},
                  {"daemon_moving_cpu_s", now.daemon_moving_cpu_s},
                  {"control_messages", now.control_messages},
                  {"control_bytes", now.control_bytes},
                  {"dropped_events", now.dropped_events},
                  {"static_calls", now.static_calls},
                  {"unmeasured_calls", now.unmeasured_calls},
                  {"regions", Json::array()},
                  {"mistakes", describe(now.mistakes)},
                  {"slow_links", now.slow_links},
                  {"streams", Json::array()},
                  {"passed_on", Json::array()}};
  for (const PassedOn::Count& one : now.passed_on)
    process["passed_on"].push_back(
        {{"function", one.function}, {"calls", one.calls}, {"in_call_s", one.in_call_s}});
  for (const RegionSum& region : now.regions) process["regions"].push_back(describe(region));
  for (const Snapshot::Stream& stream : now.streams) process["streams"].push_back(describe(stream));
  return process.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Where the costs of messages are from; empty: nowhere, they are those of a common network.
std::string costs_from(const Config& config, int processes) {
  if (!config.calibration.empty()) return config.calibration;
  return config.calibrate == "off" || processes < 2 ? ""
                                                    : "what PAT_Init measured, and calls since";
}

/// As `auto` saw it, so that what is advised goes by the same costs; null: nobody said so.
LinkCost network_of(const Json& said, const Config& config) {
  if (said.is_null()) return {config.alpha_s, config.beta_s_per_byte, config.gamma_s_per_byte};
  return {said["alpha_s"], said["beta_s_per_byte"], said["gamma_s_per_byte"]};
}

Json summary(const Config& config, const JoinedJournals& joined) {
  std::vector<double> imbalances;
  for (const Trace& trace : joined.traces)
    std::ranges::copy(imbalances_s(trace), std::back_inserter(imbalances));
  Json report = {{"processes", joined.ranks},
                 {"complete", joined.complete},
                 {"mpi", nullptr},
                 {"thread_multiple", nullptr},
                 {"network", nullptr},
                 {"predictor", config.predictor},
                 {"calibration", costs_from(config, joined.ranks)},
                 {"environment", nullptr},
                 {"settings", changed_settings(config)},
                 {"calls", imbalances.size()},
                 {"mean_imbalance_s", mean(imbalances)},
                 {"places", describe_places(joined)}};
  double cpu_s = 0.0, moving_s = 0.0, wall_s = 0.0, longest_s = 0.0;
  Json processes = Json::array();
  Environments environments;
  for (const std::string& text : joined.summaries) {
    if (text.empty()) continue;  // it ended without a word
    processes.push_back(Json::parse(text));
    environments.add(processes.back()["environment"]);
    processes.back().erase("environment");
    for (const char* of_all : {"mpi", "thread_multiple", "network"}) {
      report[of_all] = processes.back()[of_all];
      processes.back().erase(of_all);
    }
    cpu_s += processes.back()["daemon_cpu_s"].get<double>();
    moving_s += processes.back()["daemon_moving_cpu_s"].get<double>();
    wall_s += processes.back()["wall_s"].get<double>();
    longest_s = std::max(longest_s, processes.back()["wall_s"].get<double>());
  }
  report["environment"] = environments.all();
  report["daemon_cpu_s"] = cpu_s;
  report["daemon_moving_cpu_s"] = moving_s;
  report["daemon_share"] = wall_s > 0.0 ? (cpu_s - moving_s) / wall_s : 0.0;
  report["analysis"] = findings_of({joined.traces, joined.groups, joined.ranks, config.predictor,
                                    in_call_s(processes, joined.ranks),
                                    processes.empty() ? std::nullopt : std::optional(longest_s),
                                    config.reproducible == Config::Reproducible::fixed_tree,
                                    cost_model(network_of(report["network"], config))});
  report["process"] = processes;
  return report;
}

}  // namespace pat::detail
