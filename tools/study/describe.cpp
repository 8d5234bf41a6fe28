#include "tools/study/describe.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/statistics.hpp"

namespace pat::study {
namespace {

/// Third moment over the cubed standard deviation; 0 for equal values.
double skewness(std::span<const double> values) {
  const double middle = mean(values);
  double second = 0.0, third = 0.0;
  for (const double x : values) {
    const double d = x - middle;
    second += d * d;
    third += d * d * d;
  }
  const auto n = static_cast<double>(values.size());
  return second > 0.0 ? third / n / std::pow(second / n, 1.5) : 0.0;
}

}  // namespace

Description describe(const Trace& trace, int max_lag) {
  Description d;
  d.ranks = trace.ranks;
  d.iterations = trace.iterations();
  d.autocorrelation.assign(
      static_cast<std::size_t>(std::max(0, std::min(max_lag, d.iterations - 1))) + 1, 0.0);
  if (d.iterations == 0) return d;
  for (int i = 0; i < d.iterations; ++i) {
    const auto row = trace.row(i);
    const auto [first, last] = std::minmax_element(row.begin(), row.end());
    const double mean_s = mean(row);
    d.mean_arrival_s += mean_s / d.iterations;
    d.imbalances_s.push_back(*last - *first);
    d.imbalance_factors.push_back(mean_s > 0.0 ? *last / mean_s : 1.0);
    d.skewness += skewness(row) / d.iterations;
    if (i > 0) d.order_persistence += kendall_tau(trace.row(i - 1), row) / (d.iterations - 1);
  }
  d.mean_imbalance_s = mean(d.imbalances_s);
  d.max_imbalance_s = *std::max_element(d.imbalances_s.begin(), d.imbalances_s.end());
  d.imbalance_factor = mean(d.imbalance_factors);
  std::vector<double> means;
  for (int rank = 0; rank < d.ranks; ++rank) {
    const std::vector<double> series = trace.series(rank);
    means.push_back(mean(series));
    d.within_rank_s += standard_deviation(series) / d.ranks;
    const std::vector<double> r =
        autocorrelation(series, static_cast<int>(d.autocorrelation.size()) - 1);
    for (std::size_t lag = 0; lag < r.size(); ++lag) d.autocorrelation[lag] += r[lag] / d.ranks;
    const RunsTest runs = runs_test(series);
    d.serial_share += (runs.p_value < 0.05 ? 1.0 : 0.0) / d.ranks;
    d.runs_z += runs.z / d.ranks;
  }
  d.between_ranks_s = standard_deviation(means);
  return d;
}

}  // namespace pat::study
