// The comparison of the gather algorithms, seed 001 Section 6 and Table 5.

#include <algorithm>
#include <map>

#include "apps/fft/measurement.hpp"
#include "core/inference.hpp"
#include "core/statistics.hpp"

namespace pat::fft {
namespace {

// The times of one call that stand for all its processes.
struct Span {
  explicit Span(const Call& call) {
    const auto by_arrival = [](const Times& a, const Times& b) {
      return a.arrival_s < b.arrival_s;
    };
    const auto by_exit = [](const Times& a, const Times& b) { return a.exit_s < b.exit_s; };
    const auto [first, last] = std::ranges::minmax_element(call.ranks, by_arrival);
    const double last_exit_s = std::ranges::max_element(call.ranks, by_exit)->exit_s;
    run_time_s = last_exit_s - first->arrival_s;
    added_s = last_exit_s - last->arrival_s;
  }
  double run_time_s;
  double added_s;
};

/// Run times by the delays that the calls had: what these do to all algorithms cancels in pairs.
using RunTimes = std::map<std::size_t, double>;

void compare(Summary& row, const RunTimes& own, const RunTimes& base) {
  std::vector<double> above, below;
  for (const auto& [pattern, run_time_s] : own)
    if (const auto twin = base.find(pattern); twin != base.end() && twin->second > 0.0) {
      above.push_back(run_time_s);
      below.push_back(twin->second);
    }
  if (above.empty()) return;
  row.ratio = median(above) / median(below);
  const Interval interval = bootstrap_median_ratio(above, below, 1);
  row.ratio_low = interval.lower;
  row.ratio_high = interval.upper;
}

}  // namespace

std::vector<Summary> summarise(std::span<const Call> calls,
                               std::span<const std::string> algorithms) {
  std::vector<Summary> rows(algorithms.size());
  std::vector<std::vector<double>> added(algorithms.size());
  std::vector<RunTimes> run_times(algorithms.size());
  for (const Call& call : calls) {
    const auto index = static_cast<std::size_t>(call.algorithm);
    Summary& row = rows[index];
    ++row.calls;
    row.total_s += call.total_s;
    const Span span(call);
    run_times[index][call.pattern] = span.run_time_s;
    row.run_time_s += span.run_time_s;
    added[index].push_back(span.added_s);
    const double share = 1.0 / static_cast<double>(call.ranks.size());
    for (const Times& times : call.ranks) {
      row.computing_s += share * (times.end_s - times.start_s);
      row.elapsed_s += share * (times.exit_s - times.arrival_s);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto n = static_cast<double>(std::max<std::size_t>(rows[i].calls, 1));
    rows[i].algorithm = algorithms[i];
    rows[i].computing_s /= n;
    rows[i].elapsed_s /= n;
    rows[i].run_time_s /= n;
    rows[i].added_s = median(added[i]);
    if (i > 0) compare(rows[i], run_times[i], run_times[0]);
  }
  return rows;
}

}  // namespace pat::fft
