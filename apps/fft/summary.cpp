// The comparison of the gather algorithms, seed 001 Section 6 and Table 5.

#include <algorithm>

#include "apps/fft/measurement.hpp"
#include "apps/fft/seeds.hpp"
#include "core/statistics.hpp"

namespace pat::fft {
namespace {

constexpr int resamples = 1000;

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

double resampled_median(std::span<const double> sample, std::mt19937_64& generator) {
  std::vector<double> drawn(sample.size());
  for (double& x : drawn)
    x = sample[static_cast<std::size_t>(uniform(generator) * static_cast<double>(sample.size()))];
  return median(drawn);
}

void compare(Summary& row, std::span<const double> sample, std::span<const double> base) {
  const double base_median = median(base);
  if (!(base_median > 0.0)) return;
  row.ratio = median(sample) / base_median;
  std::mt19937_64 generator = generator_for(1, {3});
  std::vector<double> ratios(resamples);
  for (double& ratio : ratios) {
    const double below = resampled_median(base, generator);
    ratio = resampled_median(sample, generator) / below;
  }
  row.ratio_low = quantile(ratios, 0.025);
  row.ratio_high = quantile(ratios, 0.975);
}

}  // namespace

std::vector<Summary> summarise(std::span<const Call> calls,
                               std::span<const std::string> algorithms) {
  std::vector<Summary> rows(algorithms.size());
  std::vector<std::vector<double>> run_times(algorithms.size()), added(algorithms.size());
  for (const Call& call : calls) {
    const auto index = static_cast<std::size_t>(call.algorithm);
    Summary& row = rows[index];
    ++row.calls;
    row.total_s += call.total_s;
    const Span span(call);
    run_times[index].push_back(span.run_time_s);
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
    rows[i].run_time_s = mean(run_times[i]);
    rows[i].added_s = median(added[i]);
    if (i > 0) compare(rows[i], run_times[i], run_times[0]);
  }
  return rows;
}

}  // namespace pat::fft
