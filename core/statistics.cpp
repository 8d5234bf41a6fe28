#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace pat {
namespace {

/// Sorts `values` and returns how many exchanges of neighbours that takes.
double sort_counting_exchanges(std::vector<double>& values, std::vector<double>& scratch,
                               std::size_t begin, std::size_t end) {
  if (end - begin < 2) return 0.0;
  const std::size_t middle = begin + (end - begin) / 2;
  double exchanges = sort_counting_exchanges(values, scratch, begin, middle) +
                     sort_counting_exchanges(values, scratch, middle, end);
  std::size_t left = begin, right = middle;
  for (std::size_t out = begin; out < end; ++out) {
    if (right == end || (left < middle && values[left] <= values[right])) {
      scratch[out] = values[left++];
    } else {
      exchanges += static_cast<double>(middle - left);
      scratch[out] = values[right++];
    }
  }
  std::copy(scratch.begin() + static_cast<std::ptrdiff_t>(begin),
            scratch.begin() + static_cast<std::ptrdiff_t>(end),
            values.begin() + static_cast<std::ptrdiff_t>(begin));
  return exchanges;
}

/// Pairs that are tied in a sorted range, given the equality of neighbours.
template <class Equal>
double tied_pairs(std::size_t n, Equal equal) {
  double pairs = 0.0, run = 1.0;
  for (std::size_t i = 1; i <= n; ++i) {
    if (i < n && equal(i - 1, i)) {
      run += 1.0;
    } else {
      pairs += 0.5 * run * (run - 1.0);
      run = 1.0;
    }
  }
  return pairs;
}

}  // namespace

double mean(std::span<const double> sample) {
  if (sample.empty()) return 0.0;
  return std::accumulate(sample.begin(), sample.end(), 0.0) / static_cast<double>(sample.size());
}

double standard_deviation(std::span<const double> sample) {
  if (sample.size() < 2) return 0.0;
  const double m = mean(sample);
  double squares = 0.0;
  for (const double x : sample) squares += (x - m) * (x - m);
  return std::sqrt(squares / static_cast<double>(sample.size() - 1));
}

double quantile(std::span<const double> sample, double q) {
  if (sample.empty()) return 0.0;
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::span<const double> sample) {
  return quantile(sample, 0.5);
}

std::vector<double> autocorrelation(std::span<const double> sample, int max_lag) {
  std::vector<double> r(static_cast<std::size_t>(std::max(0, max_lag)) + 1, 0.0);
  r[0] = 1.0;
  const double m = mean(sample);
  double square = 0.0;
  for (const double x : sample) square += (x - m) * (x - m);
  if (!(square > 0.0)) return r;
  for (std::size_t lag = 1; lag < std::min(r.size(), sample.size()); ++lag) {
    double sum = 0.0;
    for (std::size_t i = lag; i < sample.size(); ++i)
      sum += (sample[i] - m) * (sample[i - lag] - m);
    r[lag] = sum / square;
  }
  return r;
}

double kendall_tau(std::span<const double> a, std::span<const double> b) {
  const std::size_t n = std::min(a.size(), b.size());
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return a[i] != a[j] ? a[i] < a[j] : b[i] < b[j]; });
  const double tied_a =
      tied_pairs(n, [&](std::size_t i, std::size_t j) { return a[order[i]] == a[order[j]]; });
  const double tied_both = tied_pairs(n, [&](std::size_t i, std::size_t j) {
    return a[order[i]] == a[order[j]] && b[order[i]] == b[order[j]];
  });
  std::vector<double> values(n), scratch(n);
  std::transform(order.begin(), order.end(), values.begin(), [&](std::size_t i) { return b[i]; });
  const double discordant = sort_counting_exchanges(values, scratch, 0, n);
  const double tied_b =
      tied_pairs(n, [&](std::size_t i, std::size_t j) { return values[i] == values[j]; });
  const double pairs = 0.5 * static_cast<double>(n) * (static_cast<double>(n) - 1.0);
  const double scale = std::sqrt((pairs - tied_a) * (pairs - tied_b));
  if (!(scale > 0.0)) return 0.0;
  return (pairs - tied_a - tied_b + tied_both - 2.0 * discordant) / scale;
}

RunsTest runs_test(std::span<const double> sample) {
  const double centre = median(sample);
  RunsTest test;
  int side = 0;
  for (const double x : sample) {
    if (x == centre) continue;
    const int now = x > centre ? 1 : -1;
    (now > 0 ? test.above : test.below) += 1;
    if (now != side) ++test.runs;
    side = now;
  }
  const double n1 = test.above, n2 = test.below, n = n1 + n2;
  if (n1 < 1.0 || n2 < 1.0) return test;
  const double expected = 2.0 * n1 * n2 / n + 1.0;
  const double variance = 2.0 * n1 * n2 * (2.0 * n1 * n2 - n) / (n * n * (n - 1.0));
  if (!(variance > 0.0)) return test;
  test.z = (test.runs - expected) / std::sqrt(variance);
  test.p_value = std::erfc(std::abs(test.z) / std::sqrt(2.0));
  return test;
}

}  // namespace pat
