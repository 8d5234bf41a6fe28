// Worked examples from the literature for the tests that the benchmark reports.

#include "core/inference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/errors.hpp"
#include "core/statistics.hpp"

namespace pat {
namespace {

/// NIST's GEAR.DAT: diameters from ten batches of ten gears.
const std::vector<std::vector<double>> gears = {
    {1.006, 0.996, 0.998, 1.000, 0.992, 0.993, 1.002, 0.999, 0.994, 1.000},
    {0.998, 1.006, 1.000, 1.002, 0.997, 0.998, 0.996, 1.000, 1.006, 0.988},
    {0.991, 0.987, 0.997, 0.999, 0.995, 0.994, 1.000, 0.999, 0.996, 0.996},
    {1.005, 1.002, 0.994, 1.000, 0.995, 0.994, 0.998, 0.996, 1.002, 0.996},
    {0.998, 0.998, 0.982, 0.990, 1.002, 0.984, 0.996, 0.993, 0.980, 0.996},
    {1.009, 1.013, 1.009, 0.997, 0.988, 1.002, 0.995, 0.998, 0.981, 0.996},
    {0.990, 1.004, 0.996, 1.001, 0.998, 1.000, 1.018, 1.010, 0.996, 1.002},
    {0.998, 1.000, 1.006, 1.000, 1.002, 0.996, 0.998, 0.996, 1.002, 1.006},
    {1.002, 0.998, 0.996, 0.995, 0.996, 1.004, 1.004, 0.998, 0.999, 0.991},
    {0.991, 0.995, 0.984, 0.994, 0.997, 0.997, 0.991, 0.998, 1.004, 0.997}};

TEST(Welch, AgreesWithRsExample) {
  // R's data set sleep (Student 1908): t.test(extra ~ group) prints t = -1.8608, df = 17.776,
  // p-value = 0.07939.
  const std::vector<double> one = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  const std::vector<double> two = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  const WelchTest test = welch_test(one, two);
  EXPECT_NEAR(test.t, -1.8608, 5e-5);
  EXPECT_NEAR(test.freedom, 17.776, 5e-4);
  EXPECT_NEAR(test.p_value, 0.07939, 5e-6);
  EXPECT_EQ(welch_test(one, std::vector<double>{1.0}).p_value, 1.0);
  EXPECT_EQ(welch_test(std::vector<double>(3, 1.0), std::vector<double>(3, 1.0)).p_value, 1.0);
}

TEST(Levene, AgreesWithTheHandbook) {
  // NIST/SEMATECH e-Handbook 1.3.5.10: W = 1.705910 (in single precision), p from R: 0.0991.
  const LeveneTest test = levene_test(gears);
  EXPECT_NEAR(test.w, 1.705910, 1e-5);
  EXPECT_NEAR(test.p_value, 0.0991, 1e-3);
}

TEST(Levene, SeesASeriesThatGrowsRestless) {
  std::vector<double> series;
  for (int i = 0; i < 200; ++i) series.push_back((i < 100 ? 1.0 : 5.0) * std::sin(2.4 * i));
  EXPECT_LT(levene_test(series, 4)->p_value, 1e-6);
  EXPECT_GT(levene_test(std::span(series).first(100), 4)->p_value, 0.5);
  EXPECT_EQ(levene_test(std::vector<double>(20, 3.0), 4)->p_value, 1.0);
}

TEST(Levene, IsSilentWhereTheBlocksAreTooSmall) {
  std::vector<double> series = {1.0, 1.1, 1.0, 1.3, 1.0, 1.2, 1.0, 1.4};  // pairs: p would be 0
  EXPECT_FALSE(levene_test(series, 4));
  EXPECT_FALSE(levene_test({}, 4));
  for (int i = 8; i < 20; ++i) {
    EXPECT_FALSE(levene_test(series, 4)) << i;
    series.push_back(1.0 + 0.01 * (i * 7 % 20));
  }
  ASSERT_TRUE(levene_test(series, 4));
  EXPECT_GT(levene_test(series, 4)->p_value, 0.0);
}

TEST(Trend, AgreesWithAnscombesFirstSet) {
  // Anscombe, 1973; R: lm(y1 ~ x1) gives 3.0001, 0.5001, error 0.1179, p 0.00217.
  const std::vector<double> x = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
  const std::vector<double> y = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  const Trend trend = linear_trend(x, y);
  EXPECT_NEAR(trend.intercept, 3.0001, 5e-5);
  EXPECT_NEAR(trend.slope, 0.5001, 5e-5);
  EXPECT_NEAR(trend.slope_error, 0.1179, 5e-5);
  EXPECT_NEAR(trend.p_value, 0.00217, 5e-6);
}

TEST(Trend, OfConstantsAndLines) {
  EXPECT_EQ(linear_trend(std::vector<double>(9, 2.0)).p_value, 1.0);
  const Trend line = linear_trend(std::vector<double>{1, 3, 5, 7});
  EXPECT_DOUBLE_EQ(line.slope, 2.0);
  EXPECT_DOUBLE_EQ(line.intercept, 1.0);
  EXPECT_LT(line.p_value, 1e-6);
  EXPECT_THROW(linear_trend(std::vector<double>{1}, std::vector<double>{1, 2}), Error);
}

TEST(Bootstrap, FollowsTheExactDistributionOfTheMedian) {
  // Survival of mice, Efron and Tibshirani, Table 2.1 (treatment). For odd n the k-th value is not
  // exceeded by the bootstrap median with P(Binomial(n, k / n) > n / 2) (Efron 1982, ch. 10).
  std::vector<double> mice = {94, 197, 16, 38, 99, 141, 23};
  const Interval interval = bootstrap_median(mice, 7, 0.90, 20000);
  std::sort(mice.begin(), mice.end());
  const auto exact_quantile = [&](double q) {
    for (int k = 1; k < 7; ++k)
      if (1.0 - cdf(boost::math::binomial(7, k / 7.0), 3) >= q) return mice[k - 1];
    return mice[6];
  };
  EXPECT_EQ(interval.lower, exact_quantile(0.05));
  EXPECT_EQ(interval.upper, exact_quantile(0.95));
}

TEST(Bootstrap, IsRepeatableAndBracketsTheRatio) {
  std::vector<double> a, b;
  for (int i = 0; i < 40; ++i) {
    a.push_back(2.0 + 0.01 * (i * 7 % 40));
    b.push_back(1.0 + 0.01 * (i * 11 % 40));
  }
  const Interval ratio = bootstrap_median_ratio(a, b, 3);
  const double observed = median(a) / median(b);
  EXPECT_LT(ratio.lower, observed);
  EXPECT_GT(ratio.upper, observed);
  EXPECT_EQ(ratio.lower, bootstrap_median_ratio(a, b, 3).lower);
  EXPECT_NE(ratio.lower, bootstrap_median_ratio(a, b, 4).lower);
}

TEST(Bootstrap, WhatPairsShareCancels) {
  std::vector<double> a, b;
  for (int i = 0; i < 20; ++i) {
    b.push_back(1.0 + i * 7 % 20);
    a.push_back(0.9 * b.back());
  }
  const Interval ratio = bootstrap_median_ratio(a, b, 1);
  EXPECT_NEAR(ratio.lower, 0.9, 1e-12);
  EXPECT_NEAR(ratio.upper, 0.9, 1e-12);
}

/// Share of all exchanges within pairs whose ratio of medians is at least as far from 1.
double exhaustive_p(const std::vector<double>& a, const std::vector<double>& b) {
  const double observed = std::abs(std::log(median(a) / median(b))) - 1e-12;
  const unsigned all = 1u << a.size();
  unsigned far = 0;
  for (unsigned mask = 0; mask < all; ++mask) {
    std::vector<double> first = a, second = b;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (mask >> k & 1u) std::swap(first[k], second[k]);
    if (std::abs(std::log(median(first) / median(second))) >= observed) ++far;
  }
  return double(far) / all;
}

TEST(RatioTest, ApproachesTheExhaustivePermutationTest) {
  const std::vector<double> a = {1.9, 2.4, 2.2, 3.1, 2.8, 1.5, 2.6};
  const std::vector<double> b = {1.1, 1.6, 2.5, 1.4, 2.9, 1.2, 2.1};
  const RatioTest test = median_ratio_test(a, b, 11);
  EXPECT_DOUBLE_EQ(test.ratio, 2.4 / 1.6);
  EXPECT_NEAR(test.p_value, exhaustive_p(a, b), 0.01);
  const RatioTest inverse = median_ratio_test(b, a, 11);
  EXPECT_NEAR(inverse.p_value, test.p_value, 0.01);
}

TEST(RatioTest, KnowsEqualFromDifferent) {
  std::vector<double> a, b;
  for (int i = 0; i < 50; ++i) {
    a.push_back(1.0 + 0.01 * (i * 7 % 50));
    b.push_back(1.0 + 0.01 * (i * 13 % 50));
  }
  EXPECT_GT(median_ratio_test(a, b, 1, 2000).p_value, 0.5);
  for (double& value : b) value *= 1.5;
  EXPECT_NEAR(median_ratio_test(a, b, 1).p_value, 1.0 / 20001, 1e-4);
  EXPECT_THROW(median_ratio_test({}, {}, 1), Error);
  EXPECT_THROW(median_ratio_test(a, std::vector<double>{1.0}, 1), Error);
  a[3] = 0.0;
  EXPECT_THROW(median_ratio_test(a, b, 1), Error);
}

TEST(Periodogram, FindsAWaveAndKeepsTheVariance) {
  const int n = 48;
  std::vector<double> wave;
  for (int t = 0; t < n; ++t)
    wave.push_back(7.0 + 3.0 * std::cos(2.0 * std::numbers::pi * 5 * t / n + 0.4));
  const auto spectrum = periodogram(wave);
  ASSERT_EQ(spectrum.size(), 24u);
  EXPECT_NEAR(spectrum[4], n * 9.0 / 4.0, 1e-9);  // n A^2 / 4 at 5 cycles, nothing elsewhere
  EXPECT_NEAR(std::accumulate(spectrum.begin(), spectrum.end(), 0.0), spectrum[4], 1e-9);
}

}  // namespace
}  // namespace pat
