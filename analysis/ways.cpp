#include "analysis/ways.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/statistics.hpp"

namespace pat {
namespace {

/// Fewer have no 95 % interval of their median.
constexpr std::size_t fewest = 6;

/// Of at least `fewest` values.
Estimate median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  const double half_width = 0.98 * std::sqrt(n);
  const auto lower = static_cast<std::size_t>(std::max(0.0, std::floor(0.5 * n - half_width)));
  const std::size_t upper = values.size() - 1 - lower;
  return {median(values), values[lower], values[upper]};
}

/// Seconds between the last arrival and the last exit of each call, by what did it.
std::map<std::string, std::vector<double>> after_last(const Trace& trace) {
  std::map<std::string, std::vector<double>> all;
  if (trace.left_s.empty() || trace.algorithm.empty()) return all;
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  for (std::size_t i = 0; i < trace.algorithm.size(); ++i) {
    if (trace.algorithm[i] < 0) continue;
    const auto left = std::span(trace.left_s).subspan(i * ranks, ranks);
    const double came_s = std::ranges::max(trace.row(static_cast<int>(i)));
    all[trace.algorithms[static_cast<std::size_t>(trace.algorithm[i])]].push_back(
        std::max(0.0, std::ranges::max(left) - came_s));
  }
  return all;
}

}  // namespace

std::vector<Way> ways_of(const Trace& trace) {
  const auto all = after_last(trace);
  const auto own = all.find("mpi");
  std::vector<Way> ways;
  for (const auto& [algorithm, times] : all) {
    Way way{algorithm, static_cast<long>(times.size()), median(times), std::nullopt};
    const bool comparable = own != all.end() && algorithm != "mpi" &&
                            std::min(times.size(), own->second.size()) >= fewest;
    if (comparable) {
      const Estimate mpi = median_of(own->second), here = median_of(times);
      const auto calls = static_cast<double>(way.calls);
      way.gained_s = {calls * (mpi.value_s - here.value_s), calls * (mpi.lower_s - here.upper_s),
                      calls * (mpi.upper_s - here.lower_s)};
    }
    ways.push_back(std::move(way));
  }
  std::ranges::stable_sort(ways, std::greater{}, &Way::calls);
  return ways;
}

}  // namespace pat
