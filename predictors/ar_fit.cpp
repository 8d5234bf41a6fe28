#include "predictors/ar_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/statistics.hpp"

namespace pat {
namespace {

/// Durbin and Levinson's step: coefficients of order k from those of order k - 1 and the k-th
/// partial autocorrelation.
void append_reflection(std::vector<double>& coefficient, double reflection) {
  const std::vector<double> before = coefficient;
  for (std::size_t i = 0; i < before.size(); ++i)
    coefficient[i] = before[i] - reflection * before[before.size() - 1 - i];
  coefficient.push_back(reflection);
}

double aicc(double variance, std::size_t count, std::size_t order) {
  const double n = static_cast<double>(count), k = static_cast<double>(order) + 2.0;
  if (!(variance > 0.0) || n - k - 1.0 <= 0.0) return INFINITY;
  return n * std::log(variance) + 2.0 * k * n / (n - k - 1.0);
}

/// Runs Burg's recursion; calls `each` with the fit of every order from 0 on.
template <class Each>
void burg(std::span<const double> sample, int max_order, Each each) {
  ArFit fit;
  fit.mean = mean(sample);
  const std::size_t n = sample.size();
  std::vector<double> forward(n), backward(n);
  for (std::size_t i = 0; i < n; ++i) forward[i] = backward[i] = sample[i] - fit.mean;
  for (const double x : forward) fit.variance += x * x;
  if (n > 0) fit.variance /= static_cast<double>(n);
  each(fit);
  for (std::size_t k = 1; k <= static_cast<std::size_t>(max_order) && k + 1 < n; ++k) {
    double product = 0.0, power = 0.0;
    for (std::size_t t = k; t < n; ++t) {
      product += forward[t] * backward[t - 1];
      power += forward[t] * forward[t] + backward[t - 1] * backward[t - 1];
    }
    const double reflection = power > 0.0 ? 2.0 * product / power : 0.0;
    for (std::size_t t = n - 1; t >= k; --t) {
      const double f = forward[t];
      forward[t] = f - reflection * backward[t - 1];
      backward[t] = backward[t - 1] - reflection * f;
    }
    append_reflection(fit.coefficient, reflection);
    fit.variance *= 1.0 - reflection * reflection;
    each(fit);
  }
}

}  // namespace

ArFit fit_burg(std::span<const double> sample, int order) {
  ArFit last;
  burg(sample, order, [&](const ArFit& fit) { last = fit; });
  last.coefficient.resize(static_cast<std::size_t>(order), 0.0);
  return last;
}

ArFit fit_burg_aicc(std::span<const double> sample, int max_order) {
  ArFit best;
  double least = INFINITY;
  burg(sample, max_order, [&](const ArFit& fit) {
    const double now = aicc(fit.variance, sample.size(), fit.coefficient.size());
    if (fit.coefficient.empty() || now < least) {
      best = fit;
      least = now;
    }
  });
  return best;
}

ArFit fit_yule_walker(std::span<const double> sample, int order) {
  ArFit fit;
  fit.mean = mean(sample);
  const std::vector<double> r = autocorrelation(sample, order);
  double power = 0.0;
  for (const double x : sample) power += (x - fit.mean) * (x - fit.mean);
  if (!sample.empty()) fit.variance = power / static_cast<double>(sample.size());
  double left = 1.0;  // share of the variance that is not explained yet
  for (std::size_t k = 1; k <= static_cast<std::size_t>(order); ++k) {
    double numerator = r[k];
    for (std::size_t i = 0; i + 1 < k; ++i) numerator -= fit.coefficient[i] * r[k - 1 - i];
    const double reflection = left > 0.0 ? numerator / left : 0.0;
    append_reflection(fit.coefficient, reflection);
    left *= 1.0 - reflection * reflection;
  }
  fit.variance *= left;
  return fit;
}

}  // namespace pat
