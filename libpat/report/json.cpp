#include "libpat/report/json.hpp"

#include <mpi.h>

#include <algorithm>

#include "core/statistics.hpp"

namespace pat::detail {
namespace {

using Json = nlohmann::ordered_json;

Json describe(const Snapshot::Region& region) {
  return {{"name", region.name},
          {"phases", region.phases},
          {"computing_s", region.computing_s},
          {"forecast_mean_absolute_error_s", region.forecast_mean_absolute_error_s},
          {"forecasts", region.forecasts},
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

Json describe(const TallyKey& key, const Tally& tally) {
  return {{"group", key.group},
          {"leader", key.leader},
          {"operation", key.operation},
          {"root", key.root},
          {"block_bytes", key.block_bytes},
          {"varying", key.varying},
          {"choice", key.choice},
          {"calls", tally.calls()},
          {"calls_by_algorithm", tally.calls_by_algorithm},
          {"reasons", describe(tally.reasons)},
          {"settled", tally.settled_calls},
          {"begun_in_background", tally.background_calls},
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

double mean_imbalance_s(const Trace& trace) {
  std::vector<double> imbalances;
  for (int i = 0; i < trace.iterations(); ++i) {
    const auto row = trace.row(i);
    const auto [low, high] = std::minmax_element(row.begin(), row.end());
    imbalances.push_back(*high - *low);
  }
  return mean(imbalances);
}

}  // namespace

std::string describe_process(const Snapshot& now) {
  Json process = {{"rank", now.rank},
                  {"daemon", now.daemon},
                  {"wall_s", now.wall_s},
                  {"daemon_cpu_s", now.daemon_cpu_s},
                  {"daemon_moving_cpu_s", now.daemon_moving_cpu_s},
                  {"control_messages", now.control_messages},
                  {"control_bytes", now.control_bytes},
                  {"dropped_events", now.dropped_events},
                  {"static_calls", now.static_calls},
                  {"regions", Json::array()},
                  {"streams", Json::array()}};
  for (const Snapshot::Region& region : now.regions) process["regions"].push_back(describe(region));
  for (const Snapshot::Stream& stream : now.streams) process["streams"].push_back(describe(stream));
  return process.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json summary(const Snapshot& now, const std::vector<std::string>& texts, const Trace& trace) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0, level = 0;
  PMPI_Get_library_version(version, &length);
  PMPI_Query_thread(&level);
  const std::string first_line(version, std::find_if(version, version + length, [](char c) {
                                 return c == '\n' || c == ',' || c == '\0';
                               }));
  Json report = {{"processes", now.size},
                 {"mpi", first_line},
                 {"thread_multiple", level == MPI_THREAD_MULTIPLE},
                 {"predictor", now.config.predictor},
                 {"calibration", now.config.calibration},
                 {"calls", trace.iterations()},
                 {"mean_imbalance_s", mean_imbalance_s(trace)}};
  double cpu_s = 0.0, moving_s = 0.0, wall_s = 0.0;
  Json processes = Json::array();
  for (const std::string& text : texts) {
    processes.push_back(Json::parse(text));
    cpu_s += processes.back()["daemon_cpu_s"].get<double>();
    moving_s += processes.back()["daemon_moving_cpu_s"].get<double>();
    wall_s += processes.back()["wall_s"].get<double>();
  }
  report["daemon_cpu_s"] = cpu_s;
  report["daemon_moving_cpu_s"] = moving_s;
  report["daemon_share"] = wall_s > 0.0 ? (cpu_s - moving_s) / wall_s : 0.0;
  report["process"] = processes;
  return report;
}

}  // namespace pat::detail
