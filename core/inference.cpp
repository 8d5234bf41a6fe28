#include "core/inference.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <functional>
#include <numbers>

#include "core/errors.hpp"
#include "core/statistics.hpp"

namespace pat {
namespace {

// Boost's generators and distributions give the same numbers with every compiler.
using Generator = boost::random::mt19937_64;

/// Index below n; n > 0.
std::size_t draw(Generator& generator, std::size_t n) {
  return boost::random::uniform_int_distribution<std::size_t>(0, n - 1)(generator);
}

/// Median by selection; reorders its argument, which must not be empty.
double median_in_place(std::span<double> values) {
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half),
                   values.end());
  if (values.size() % 2 == 1) return values[half];
  const double below =
      *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half));
  return (below + values[half]) / 2;
}

double resampled_median(std::span<const double> sample, std::vector<double>& scratch,
                        Generator& generator) {
  scratch.resize(sample.size());
  for (double& value : scratch) value = sample[draw(generator, sample.size())];
  return median_in_place(scratch);
}

Interval percentile_interval(int resamples, double confidence,
                             const std::function<double()>& statistic) {
  std::vector<double> values(static_cast<std::size_t>(std::max(1, resamples)));
  for (double& value : values) value = statistic();
  const double tail = (1.0 - confidence) / 2.0;
  return {quantile(values, tail), quantile(values, 1.0 - tail)};
}

void require_pairs(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || a.size() != b.size() || *std::min_element(a.begin(), a.end()) <= 0.0 ||
      *std::min_element(b.begin(), b.end()) <= 0.0)
    throw Error(ErrorKind::argument,
                "A ratio of medians needs pairs of positive values, and at least one.");
}

}  // namespace

Interval bootstrap_median(std::span<const double> sample, std::uint64_t seed, double confidence,
                          int resamples) {
  if (sample.empty()) return {};
  Generator generator(seed);
  std::vector<double> scratch;
  return percentile_interval(resamples, confidence,
                             [&] { return resampled_median(sample, scratch, generator); });
}

Interval bootstrap_median_ratio(std::span<const double> numerator,
                                std::span<const double> denominator, std::uint64_t seed,
                                double confidence, int resamples) {
  require_pairs(numerator, denominator);
  Generator generator(seed);
  std::vector<double> above(numerator.size()), below(numerator.size());
  return percentile_interval(resamples, confidence, [&] {
    for (std::size_t k = 0; k < above.size(); ++k) {
      const std::size_t pair = draw(generator, above.size());
      above[k] = numerator[pair];
      below[k] = denominator[pair];
    }
    return median_in_place(above) / median_in_place(below);
  });
}

RatioTest median_ratio_test(std::span<const double> numerator, std::span<const double> denominator,
                            std::uint64_t seed, int permutations) {
  require_pairs(numerator, denominator);
  const auto distance = [](double above, double below) {
    return std::abs(std::log(above / below));
  };
  const double above = median(numerator);
  const double below = median(denominator);
  // Sums of halves differ in the last digit between orders of the same values.
  const double observed = distance(above, below) * (1.0 - 1e-12);

  Generator generator(seed);
  std::vector<double> first(numerator.size()), second(numerator.size());
  int as_far = 0;
  for (int i = 0; i < permutations; ++i) {
    for (std::size_t k = 0; k < first.size(); ++k) {
      first[k] = numerator[k];
      second[k] = denominator[k];
      if (draw(generator, 2) == 1) std::swap(first[k], second[k]);
    }
    if (distance(median_in_place(first), median_in_place(second)) >= observed) ++as_far;
  }
  return {above / below, (1.0 + as_far) / (1.0 + permutations)};
}

Trend linear_trend(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size())
    throw Error(ErrorKind::argument, "A trend needs as many abscissae as values.");
  const double n = static_cast<double>(x.size());
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  if (x.size() < 3 || xx == 0.0 || yy == 0.0) return {mean_y, 0.0, 0.0, 1.0};
  Trend trend;
  trend.slope = xy / xx;
  trend.intercept = mean_y - trend.slope * mean_x;
  const double residual = std::max(0.0, yy - trend.slope * xy);
  trend.slope_error = std::sqrt(residual / (n - 2.0) / xx);
  if (trend.slope_error == 0.0) {
    trend.p_value = 0.0;
  } else {
    const boost::math::students_t distribution(n - 2.0);
    trend.p_value = 2.0 * cdf(complement(distribution, std::abs(trend.slope / trend.slope_error)));
  }
  return trend;
}

Trend linear_trend(std::span<const double> sample) {
  std::vector<double> index(sample.size());
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<double>(i);
  return linear_trend(index, sample);
}

WelchTest welch_test(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return {};
  const auto error = [](std::span<const double> sample) {  // the squared error of the mean
    return std::pow(standard_deviation(sample), 2) / static_cast<double>(sample.size());
  };
  const double of_a = error(a), of_b = error(b);
  if (of_a + of_b == 0.0) return {};
  WelchTest test;
  test.t = (mean(a) - mean(b)) / std::sqrt(of_a + of_b);
  test.freedom = std::pow(of_a + of_b, 2) / (of_a * of_a / static_cast<double>(a.size() - 1) +
                                             of_b * of_b / static_cast<double>(b.size() - 1));
  test.p_value = 2.0 * cdf(complement(boost::math::students_t(test.freedom), std::abs(test.t)));
  return test;
}

LeveneTest levene_test(std::span<const std::vector<double>> groups) {
  std::vector<std::vector<double>> distances;
  double sum = 0.0, n = 0.0;
  for (const auto& group : groups) {
    if (group.empty()) continue;
    const double centre = median(group);
    auto& distance = distances.emplace_back();
    for (const double value : group) distance.push_back(std::abs(value - centre));
    for (const double value : distance) sum += value;
    n += static_cast<double>(group.size());
  }
  const double k = static_cast<double>(distances.size());
  if (k < 2.0 || n <= k) return {};
  double between = 0.0, within = 0.0;
  for (const auto& distance : distances) {
    const double centre = mean(distance);
    between += static_cast<double>(distance.size()) * (centre - sum / n) * (centre - sum / n);
    for (const double value : distance) within += (value - centre) * (value - centre);
  }
  if (within == 0.0) return {0.0, between == 0.0 ? 1.0 : 0.0};
  LeveneTest test;
  test.w = (n - k) / (k - 1.0) * between / within;
  test.p_value = cdf(complement(boost::math::fisher_f(k - 1.0, n - k), test.w));
  return test;
}

std::optional<LeveneTest> levene_test(std::span<const double> series, int blocks) {
  constexpr std::size_t fewest = 5;  // values a part
  const std::size_t count = static_cast<std::size_t>(std::max(1, blocks));
  if (series.size() < fewest * count) return std::nullopt;
  std::vector<std::vector<double>> groups;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t begin = series.size() * b / count;
    const std::size_t end = series.size() * (b + 1) / count;
    groups.emplace_back(series.begin() + static_cast<std::ptrdiff_t>(begin),
                        series.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return levene_test(groups);
}

std::vector<double> periodogram(std::span<const double> series) {
  const std::size_t n = series.size();
  const double centre = mean(series);
  std::vector<double> ordinates;
  for (std::size_t j = 1; j <= n / 2; ++j) {
    double real = 0.0, imaginary = 0.0;
    for (std::size_t t = 0; t < n; ++t) {
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>(j * t % n) / static_cast<double>(n);
      real += (series[t] - centre) * std::cos(angle);
      imaginary -= (series[t] - centre) * std::sin(angle);
    }
    ordinates.push_back((real * real + imaginary * imaginary) / static_cast<double>(n));
  }
  return ordinates;
}

}  // namespace pat
