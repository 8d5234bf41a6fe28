#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pat {

/// A two-sided confidence interval.
struct Interval {
  double lower = 0.0;
  double upper = 0.0;
};

/// Percentile bootstrap interval of the median. The same seed gives the same interval. {0, 0} for
/// an empty sample. Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13.
Interval bootstrap_median(std::span<const double> sample, std::uint64_t seed,
                          double confidence = 0.95, int resamples = 2000);

/// As bootstrap_median for median(numerator) / median(denominator) of a paired sample: values i of
/// both were taken under the same conditions (the same delays, one after the other), so they are
/// resampled together and what both share cancels. Throws Error(argument) unless both have the same
/// length, above 0, and positive values.
Interval bootstrap_median_ratio(std::span<const double> numerator,
                                std::span<const double> denominator, std::uint64_t seed,
                                double confidence = 0.95, int resamples = 2000);

/// The ratio of two medians, and how probable one at least as far from 1 is by chance.
struct RatioTest {
  double ratio = 1.0;
  double p_value = 1.0;  ///< two-sided; never below 1 / (permutations + 1), about 2 / 2^pairs
};
/// Permutation test (Marendic et al. 2016 Section 6.2) of a paired sample: the labels are exchanged
/// at random within each pair. Throws Error(argument) as bootstrap_median_ratio().
RatioTest median_ratio_test(std::span<const double> numerator, std::span<const double> denominator,
                            std::uint64_t seed, int permutations = 20000);

/// Least-squares line through (index, value).
struct Trend {
  double intercept = 0.0;
  double slope = 0.0;
  double slope_error = 0.0;  ///< standard error of the slope
  double p_value = 1.0;      ///< of the t test for a slope of 0, two-sided
};
/// All zero, p = 1 for fewer than three values or a constant sample.
Trend linear_trend(std::span<const double> sample);
/// As linear_trend with abscissae given. Throws Error(argument) unless x has the length of y.
Trend linear_trend(std::span<const double> x, std::span<const double> y);

/// Welch's test for equal means of two samples whose variances may differ.
struct WelchTest {
  double t = 0.0;        ///< positive where the first mean is the larger
  double freedom = 0.0;  ///< degrees of freedom, Satterthwaite's
  double p_value = 1.0;  ///< two-sided
};
/// Source: Welch, 1947; NIST/SEMATECH e-Handbook 7.3.1. p = 1 if a sample has fewer than two values
/// or neither has any spread.
WelchTest welch_test(std::span<const double> a, std::span<const double> b);

/// Levene's test for equal variances in its robust form (distances from the median).
struct LeveneTest {
  double w = 0.0;  ///< F distributed with k - 1 and N - k degrees of freedom
  double p_value = 1.0;
};
/// Source: Brown and Forsythe, 1974; NIST/SEMATECH e-Handbook 1.3.5.10. p = 1 for fewer than two
/// groups or where no group has any spread.
LeveneTest levene_test(std::span<const std::vector<double>> groups);
/// Whether the variance of a series is stationary: the test over `blocks` consecutive parts of it.
/// Nothing if a part has less than five values: two are equally far from their median, and the test
/// then finds no spread within the parts and any difference between them certain.
std::optional<LeveneTest> levene_test(std::span<const double> series, int blocks);

/// Ordinates |sum x_t exp(-2 pi i j t / n)|^2 / n for j = 1 .. n/2, mean removed: the spectrum at j
/// cycles a series, as R's spec.pgram(taper = 0, detrend = FALSE). O(n^2).
std::vector<double> periodogram(std::span<const double> series);

}  // namespace pat
