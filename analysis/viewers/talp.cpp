// The JSON that TALP of DLB 3.5 writes (--talp-output-file=x.json), so that its readers work: times
// in ns, and as there all that is not in MPI counts as useful. What PAT does not know (counters,
// nodes, OpenMP) is 0, and the efficiencies of OpenMP 1.
// Source: BSC's DLB, src/talp/talp_output.c and perf_metrics.c.

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <numeric>

#include "analysis/lateness.hpp"
#include "analysis/viewers/formats.hpp"
#include "analysis/viewers/timeline.hpp"

namespace pat::viewers {
namespace {

using Json = nlohmann::ordered_json;

long ns(double value_s) {
  return std::lround(1e9 * value_s);
}

/// Two digits, as TALP has them.
double share(double value) {
  return std::round(100.0 * value) / 100.0;
}

/// ISO 8601, as TALP writes it.
std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", localtime_r(&seconds, &parts));
  return text.data();
}

Json monitor(double elapsed_s, double useful_s, double mpi_s, long calls) {
  return {{"cycles", 0},
          {"instructions", 0},
          {"numMeasurements", 1},
          {"numMpiCalls", calls},
          {"numOmpParallels", 0},
          {"numOmpTasks", 0},
          {"elapsedTime", ns(elapsed_s)},
          {"usefulTime", ns(useful_s)},
          {"mpiTime", ns(mpi_s)},
          {"ompLoadImbalanceTime", 0},
          {"ompSchedulingTime", 0},
          {"ompSerializationTime", 0}};
}

}  // namespace

void write_talp(const Trace& trace, const ViewOptions& options, std::ostream& out) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  std::vector<double> mpi_s(ranks), useful_s(ranks);
  double elapsed_s = 0.0;
  for (Timeline timeline(trace); timeline.next(); options.progress(timeline.iteration() + 1))
    for (std::size_t r = 0; r < ranks; ++r) {
      const Step& step = timeline.steps()[r];
      mpi_s[r] += step.left_s - step.arrival_s;
      elapsed_s = std::max(elapsed_s, step.left_s);
    }
  for (std::size_t r = 0; r < ranks; ++r) useful_s[r] = std::max(0.0, elapsed_s - mpi_s[r]);
  const Efficiency found = efficiency_of(useful_s, elapsed_s);
  const auto longest =
      static_cast<std::size_t>(std::ranges::max_element(useful_s) - useful_s.begin());
  const double all_useful_s = std::accumulate(useful_s.begin(), useful_s.end(), 0.0),
               all_mpi_s = std::accumulate(mpi_s.begin(), mpi_s.end(), 0.0);
  const long calls = trace.iterations();

  Json sums = {{"numCpus", trace.ranks},
               {"numMpiRanks", trace.ranks},
               {"numNodes", 1},
               {"avgCpus", trace.ranks}};
  sums.update(monitor(elapsed_s, all_useful_s, all_mpi_s, calls * trace.ranks));
  sums.update({{"usefulNormdApp", ns(all_useful_s / trace.ranks)},
               {"mpiNormdApp", ns(all_mpi_s / trace.ranks)},
               {"maxUsefulNormdProc", ns(useful_s[longest])},
               {"maxUsefulNormdNode", ns(all_useful_s / trace.ranks)},
               {"mpiNormdOfMaxUseful", ns(mpi_s[longest])},
               {"parallelEfficiency", share(found.parallel)},
               {"mpiParallelEfficiency", share(found.parallel)},
               {"mpiCommunicationEfficiency", share(found.communication)},
               {"mpiLoadBalance", share(found.load_balance)},
               {"mpiLoadBalanceIn", share(found.load_balance)},
               {"mpiLoadBalanceOut", 1.0},
               {"ompParallelEfficiency", 1.0},
               {"ompLoadBalance", 1.0},
               {"ompSchedulingEfficiency", 1.0},
               {"ompSerializationEfficiency", 1.0}});
  Json processes = Json::array();
  for (std::size_t r = 0; r < ranks; ++r) {
    Json one = {
        {"rank", r},    {"pid", 0},      {"nodeId", 0}, {"hostname", ""}, {"cpuset", Json::array()},
        {"numCpus", 1}, {"avgCpus", 1.0}};
    Json times = monitor(elapsed_s, useful_s[r], mpi_s[r], calls);
    times["numResets"] = 0;
    one.update(times);
    processes.push_back(one);
  }
  const Json all = {
      {"dlbVersion", "3.5.0"},
      {"timestamp", now()},
      {"resources", {{"numCpus", trace.ranks}, {"numNodes", 1}, {"numMpiRanks", trace.ranks}}},
      {"Application", {{"Global", sums}}},
      {"Process", {{"Global", processes}}}};
  out << all.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace pat::viewers
