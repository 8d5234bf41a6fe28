#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/inference.hpp"
#include "core/statistics.hpp"

namespace pat::measure {

/// What one rank measured in one iteration: seconds on the common clock. Plain numbers, so that it
/// can be gathered as it is.
struct RankTimes {
  double start_s = 0.0;      ///< the computing phase began
  double planned_s = 0.0;    ///< how long it was to take
  double arrival_s = 0.0;    ///< entered the operation
  double exit_s = 0.0;       ///< left it
  double forecast_s = -1.0;  ///< the phase's predicted length after the last edge; negative: none
};

/// One iteration over all ranks, seconds.
struct Sample {
  std::uint64_t iteration = 0;
  double run_s = 0.0;           ///< last exit - first arrival
  double whole_s = 0.0;         ///< last exit - first start of computing
  double elapsed_mean_s = 0.0;  ///< mean over the ranks of exit - arrival
  double elapsed_max_s = 0.0;
  double imbalance_s = 0.0;        ///< last arrival - first arrival, as it came out
  double start_skew_s = 0.0;       ///< last start - first start: what synchronisation left
  double lateness_s = 0.0;         ///< the latest wake-up: computing phase longer than planned
  double forecast_error_s = -1.0;  ///< mean |forecast - actual| of the ranks that had one; else -1
  std::vector<double> waiting_s;   ///< per rank: inside the operation while others had not arrived
};

/// Throws Error(argument) if there are no ranks.
Sample evaluate(std::span<const RankTimes> ranks);

/// All iterations of one algorithm in one setting.
struct Series {
  std::string operation;
  std::string algorithm;
  std::string pattern;
  double delay_s = 0.0;   ///< the size of the pattern's delays (its maximum, or its mean)
  std::size_t bytes = 0;  ///< of the whole vector
  int ranks = 0;
  std::string root;  ///< a rank, or "rotate"
  std::vector<Sample> samples;
  std::vector<double> balanced_run_s;  ///< run times without delays, where absorption was asked for
  int dropped = 0;                     ///< iterations left out because a rank woke up too late
  double schedule_s = -1.0;            ///< see schedule_time_s(); negative: none is generated

  std::vector<double> column(double Sample::*member) const;
  /// Mean waiting of each rank over the iterations, seconds.
  std::vector<double> mean_waiting_s() const;
  /// Of each iteration, seconds: median run time without delays + imbalance - run time (Marendic et
  /// al. 2016 Def. 3.6). Empty where no run without delays was measured.
  std::vector<double> absorptions_s() const;
};

/// What is reported of a series.
struct Summary {
  int iterations = 0;
  double minimum_s = 0.0, median_s = 0.0, mean_s = 0.0, deviation_s = 0.0;
  double q10_s = 0.0, q90_s = 0.0, maximum_s = 0.0;
  Interval median_interval_s;
  double elapsed_mean_s = 0.0, elapsed_max_s = 0.0;                ///< medians over the iterations
  double imbalance_s = 0.0, start_skew_s = 0.0, lateness_s = 0.0;  ///< medians
  double forecast_error_s = -1.0;
  double absorption_s = 0.0;  ///< t(balanced) + imbalance - t (Marendic et al. 2016 Def. 3.6)
  double normalized_absorption = 0.0;  ///< absorption / t(balanced) (Marendic et al. 2016 Def. 3.9)
  bool has_absorption = false;
  RunsTest runs;
  std::vector<double> autocorrelation;  ///< of the run times, from lag 0, at most to 20
  double autocorrelation_bound = 0.0;   ///< 95 % of white noise's lie within +- this
  Trend trend;
  std::optional<LeveneTest> variance;  ///< over quarters; nothing for fewer than 20 iterations
};
/// How many random resamples the intervals and tests may take.
struct Effort {
  int resamples = 2000;
  int permutations = 20000;
  bool operator==(const Effort&) const = default;
};
/// As much of the full effort as keeps the statistics of all series together to a fraction of a
/// second.
Effort quick_effort(std::span<const Series> all);

Summary summarize(const Series& series, std::uint64_t seed, const Effort& effort = {});

/// Against the baseline of the same operation, size and pattern, over the iterations that both
/// have: each iteration gives all algorithms the same delays.
struct Comparison {
  RatioTest test;  ///< ratio = median / median of the baseline: below 1 is faster
  Interval interval;
};
/// Nothing if they have fewer than three iterations in common.
std::optional<Comparison> compare(const Series& series, const Series& baseline, std::uint64_t seed,
                                  const Effort& effort = {});

}  // namespace pat::measure
