#include "measure/sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/errors.hpp"

namespace pat::measure {

Sample evaluate(std::span<const RankTimes> ranks) {
  if (ranks.empty())
    throw Error(ErrorKind::argument, "A sample needs the times of at least one rank.");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double first_start = infinity, last_start = -infinity;
  double first_arrival = infinity, last_arrival = -infinity, last_exit = -infinity;
  for (const RankTimes& rank : ranks) {
    first_start = std::min(first_start, rank.start_s);
    last_start = std::max(last_start, rank.start_s);
    first_arrival = std::min(first_arrival, rank.arrival_s);
    last_arrival = std::max(last_arrival, rank.arrival_s);
    last_exit = std::max(last_exit, rank.exit_s);
  }
  Sample sample;
  sample.run_s = last_exit - first_arrival;
  sample.whole_s = last_exit - first_start;
  sample.imbalance_s = last_arrival - first_arrival;
  sample.start_skew_s = last_start - first_start;
  double error_sum = 0.0;
  int forecasts = 0;
  for (const RankTimes& rank : ranks) {
    const double elapsed = rank.exit_s - rank.arrival_s;
    const double computing = rank.arrival_s - rank.start_s;
    sample.elapsed_mean_s += elapsed / static_cast<double>(ranks.size());
    sample.elapsed_max_s = std::max(sample.elapsed_max_s, elapsed);
    sample.lateness_s = std::max(sample.lateness_s, computing - rank.planned_s);
    sample.waiting_s.push_back(std::min(rank.exit_s, last_arrival) - rank.arrival_s);
    if (rank.forecast_s >= 0.0) {
      error_sum += std::abs(rank.forecast_s - computing);
      ++forecasts;
    }
  }
  if (forecasts > 0) sample.forecast_error_s = error_sum / forecasts;
  return sample;
}

std::vector<double> Series::column(double Sample::*member) const {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.*member);
  return values;
}

std::vector<double> Series::mean_waiting_s() const {
  std::vector<double> waiting;
  for (const Sample& sample : samples) {
    waiting.resize(sample.waiting_s.size(), 0.0);
    for (std::size_t r = 0; r < waiting.size(); ++r)
      waiting[r] += sample.waiting_s[r] / static_cast<double>(samples.size());
  }
  return waiting;
}

std::vector<double> Series::absorptions_s() const {
  std::vector<double> absorptions;
  if (balanced_run_s.empty()) return absorptions;
  const double balanced_s = median(balanced_run_s);
  for (const Sample& sample : samples)
    absorptions.push_back(balanced_s + sample.imbalance_s - sample.run_s);
  return absorptions;
}

Effort quick_effort(std::span<const Series> all) {
  const Effort full;
  constexpr double affordable = 2e7;  // values drawn: about a fifth of a second
  double values = 0.0;
  for (const Series& series : all) values += static_cast<double>(series.samples.size());
  const double wanted = values * (3.0 * full.resamples + 2.0 * full.permutations);
  const double share = std::min(1.0, affordable / std::max(1.0, wanted));
  const auto part = [share](int count) { return std::max(20, static_cast<int>(share * count)); };
  return {part(full.resamples), part(full.permutations)};
}

Summary summarize(const Series& series, std::uint64_t seed, const Effort& effort) {
  const auto run_s = series.column(&Sample::run_s);
  const auto middle = [&](double Sample::*member) { return median(series.column(member)); };
  Summary summary;
  summary.iterations = static_cast<int>(run_s.size());
  summary.minimum_s = quantile(run_s, 0.0);
  summary.median_s = median(run_s);
  summary.mean_s = mean(run_s);
  summary.deviation_s = standard_deviation(run_s);
  summary.q10_s = quantile(run_s, 0.1);
  summary.q90_s = quantile(run_s, 0.9);
  summary.maximum_s = quantile(run_s, 1.0);
  summary.median_interval_s = bootstrap_median(run_s, seed, 0.95, effort.resamples);
  summary.elapsed_mean_s = middle(&Sample::elapsed_mean_s);
  summary.elapsed_max_s = middle(&Sample::elapsed_max_s);
  summary.imbalance_s = middle(&Sample::imbalance_s);
  summary.start_skew_s = middle(&Sample::start_skew_s);
  summary.lateness_s = middle(&Sample::lateness_s);
  std::vector<double> errors;
  for (const Sample& sample : series.samples)
    if (sample.forecast_error_s >= 0.0) errors.push_back(sample.forecast_error_s);
  if (!errors.empty()) summary.forecast_error_s = median(errors);
  if (!series.balanced_run_s.empty() && !run_s.empty()) {
    const double balanced = median(series.balanced_run_s);
    summary.has_absorption = true;
    summary.absorption_s = balanced + summary.imbalance_s - summary.median_s;
    summary.normalized_absorption = balanced > 0.0 ? summary.absorption_s / balanced : 0.0;
  }
  summary.runs = runs_test(run_s);
  summary.autocorrelation = autocorrelation(run_s, std::clamp(summary.iterations - 1, 0, 20));
  if (!run_s.empty())
    summary.autocorrelation_bound = 1.96 / std::sqrt(static_cast<double>(run_s.size()));
  summary.trend = linear_trend(run_s);
  summary.variance = levene_test(run_s, 4);
  return summary;
}

std::optional<Comparison> compare(const Series& series, const Series& baseline, std::uint64_t seed,
                                  const Effort& effort) {
  std::map<std::uint64_t, double> base;
  for (const Sample& sample : baseline.samples) base[sample.iteration] = sample.run_s;
  std::vector<double> own, other;
  for (const Sample& sample : series.samples)
    if (const auto twin = base.find(sample.iteration); twin != base.end()) {
      own.push_back(sample.run_s);
      other.push_back(twin->second);
    }
  if (own.size() < 3) return std::nullopt;  // a ratio of one pair or two says nothing
  return Comparison{median_ratio_test(own, other, seed, effort.permutations),
                    bootstrap_median_ratio(own, other, seed, 0.95, effort.resamples)};
}

}  // namespace pat::measure
