#include "predictors/arma_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/NonLinearOptimization>

#include "core/statistics.hpp"
#include "predictors/ar_fit.hpp"

namespace pat {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Index to_index(std::size_t n) {
  return static_cast<Index>(n);
}

/// Coefficients of a stationary autoregression from any real numbers (Monahan, Biometrika 71,
/// 1984).
std::vector<double> from_free(const VectorXd& free, Index begin, std::size_t count) {
  std::vector<double> phi;
  for (std::size_t k = 0; k < count; ++k) {
    const double reflection = std::tanh(free[begin + to_index(k)]);
    const std::vector<double> before = phi;
    for (std::size_t i = 0; i < k; ++i) phi[i] = before[i] - reflection * before[k - 1 - i];
    phi.push_back(reflection);
  }
  return phi;
}

/// The inverse; empty if the autoregression is not stationary.
std::vector<double> to_free(std::vector<double> phi) {
  std::vector<double> free(phi.size());
  for (std::size_t k = phi.size(); k-- > 0;) {
    const double reflection = phi[k];
    if (!(std::abs(reflection) < 0.9999)) return {};
    free[k] = std::atanh(reflection);
    std::vector<double> lower(k);
    for (std::size_t i = 0; i < k; ++i)
      lower[i] = (phi[i] + reflection * phi[k - 1 - i]) / (1.0 - reflection * reflection);
    phi = lower;
  }
  return free;
}

/// As to_free, with the coefficients pulled towards zero until the autoregression is stationary.
std::vector<double> to_free_shrunk(std::vector<double> phi) {
  for (int attempt = 0; attempt < 60; ++attempt) {
    std::vector<double> free = to_free(phi);
    if (free.size() == phi.size()) return free;
    double factor = 1.0;
    for (double& c : phi) c *= (factor *= 0.9);
  }
  return std::vector<double>(phi.size(), 0.0);
}

std::vector<double> negated(std::vector<double> values) {
  for (double& value : values) value = -value;
  return values;
}

VectorXd pack(const ArmaCoefficients& c) {
  const std::vector<double> ar = to_free_shrunk(c.ar), ma = to_free_shrunk(negated(c.ma));
  VectorXd free(to_index(ar.size() + ma.size() + 1));
  std::copy(ar.begin(), ar.end(), free.data());
  std::copy(ma.begin(), ma.end(), free.data() + ar.size());
  free[free.size() - 1] = c.mean;
  return free;
}

ArmaCoefficients unpack(const VectorXd& free, std::size_t p, std::size_t q) {
  return {from_free(free, 0, p), negated(from_free(free, to_index(p), q)), free[free.size() - 1]};
}

struct Likelihood {
  double squares = 0.0;  // sum of v^2 / F
  double log_sum = 0.0;  // sum of log F
  double count = 0.0;
  double variance() const { return squares / count; }
  double log() const {
    return -0.5 * (count * (std::log(2.0 * std::numbers::pi * variance()) + 1.0) + log_sum);
  }
};

/// Runs the filter; `each` gets v / sqrt(F) of every value.
template <class Each>
Likelihood likelihood(std::span<const double> sample, const ArmaCoefficients& c, Each each) {
  ArmaFilter filter(c);
  Likelihood result;
  for (const double x : sample) {
    const auto [value, variance] = filter.update(x);
    const double scaled = value / std::sqrt(variance);
    each(scaled);
    result.squares += scaled * scaled;
    if (variance != 1.0) result.log_sum += std::log(variance);
    result.count += 1.0;
  }
  return result;
}

/// What Levenberg and Marquardt's method minimises the sum of squares of.
struct ScaledInnovations {
  using Scalar = double;
  using InputType = VectorXd;
  using ValueType = VectorXd;
  using JacobianType = MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  std::span<const double> sample;
  std::size_t p, q;

  int inputs() const { return static_cast<int>(p + q + 1); }
  int values() const { return static_cast<int>(sample.size()); }
  int operator()(const VectorXd& free, VectorXd& out) const {
    Index i = 0;
    const Likelihood l =
        likelihood(sample, unpack(free, p, q), [&](double scaled) { out[i++] = scaled; });
    out *= std::exp(0.5 * l.log_sum / l.count);
    return out.allFinite() ? 0 : -1;
  }
  /// Forward differences; every parameter is of the order of one.
  int df(const VectorXd& free, MatrixXd& jacobian) const {
    constexpr double step = 1e-7;
    VectorXd here(values()), there(values());
    (*this)(free, here);
    for (Index k = 0; k < free.size(); ++k) {
      VectorXd shifted = free;
      shifted[k] += step;
      (*this)(shifted, there);
      jacobian.col(k) = (there - here) / step;
    }
    return jacobian.allFinite() ? 0 : -1;
  }
};

/// Hannan and Rissanen: residuals of a long autoregression stand for the noise, then least squares.
/// Source: Brockwell and Davis, Introduction to Time Series and Forecasting, 5.1.4.
ArmaCoefficients hannan_rissanen(std::span<const double> sample, std::size_t p, std::size_t q) {
  const std::size_t n = sample.size();
  ArmaCoefficients result{std::vector<double>(p, 0.0), std::vector<double>(q, 0.0), mean(sample)};
  if (q == 0) {
    result.ar = fit_burg(sample, static_cast<int>(p)).coefficient;
    return result;
  }
  const std::size_t order = std::min<std::size_t>(n / 4, std::max(p, q) + 8);
  const std::vector<double> phi = fit_burg(sample, static_cast<int>(order)).coefficient;
  std::vector<double> x(n), noise(n, 0.0);
  for (std::size_t t = 0; t < n; ++t) x[t] = sample[t] - result.mean;
  for (std::size_t t = order; t < n; ++t) {
    noise[t] = x[t];
    for (std::size_t i = 0; i < order; ++i) noise[t] -= phi[i] * x[t - 1 - i];
  }
  const std::size_t begin = order + std::max(p, q);
  if (n < begin + 2 * (p + q)) return result;
  MatrixXd design(to_index(n - begin), to_index(p + q));
  VectorXd target(to_index(n - begin));
  for (std::size_t t = begin; t < n; ++t) {
    const Index row = to_index(t - begin);
    target[row] = x[t];
    for (std::size_t i = 0; i < p; ++i) design(row, to_index(i)) = x[t - 1 - i];
    for (std::size_t j = 0; j < q; ++j) design(row, to_index(p + j)) = noise[t - 1 - j];
  }
  const VectorXd found = design.colPivHouseholderQr().solve(target);
  if (!found.allFinite()) return result;
  std::copy_n(found.data(), p, result.ar.begin());
  std::copy_n(found.data() + p, q, result.ma.begin());
  return result;
}

double aicc(double log_likelihood, double n, double parameters) {
  if (n - parameters - 1.0 <= 0.0) return INFINITY;
  return -2.0 * log_likelihood + 2.0 * parameters * n / (n - parameters - 1.0);
}

}  // namespace

ArmaFilter::ArmaFilter(const ArmaCoefficients& c)
    : size_(std::max({std::size_t{1}, c.ar.size(), c.ma.size() + 1})), mean_(c.mean) {
  std::copy(c.ar.begin(), c.ar.end(), phi_.begin());
  std::copy(c.ma.begin(), c.ma.end(), response_.begin() + 1);
  // Stationary covariance: the sum over k of T^k R R' T'^k, the number of terms doubled each time.
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;
  const Index n = to_index(size_);
  Small power = Small::Zero(n, n), sum(n, n);
  for (Index i = 0; i < n; ++i) {
    power(i, 0) = phi_[static_cast<std::size_t>(i)];
    if (i + 1 < n) power(i, i + 1) = 1.0;
    for (Index j = 0; j < n; ++j)
      sum(i, j) = response_[static_cast<std::size_t>(i)] * response_[static_cast<std::size_t>(j)];
  }
  for (int doubling = 0; doubling < 40; ++doubling) {
    const Small added = power * sum * power.transpose();
    sum += added;
    if (!(added.cwiseAbs().maxCoeff() > 1e-14 * sum.cwiseAbs().maxCoeff())) break;
    power = (power * power).eval();
  }
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j < size_; ++j) covariance_[i][j] = sum(to_index(i), to_index(j));
}

void ArmaFilter::transition(State& state) const {
  const double first = state[0];
  for (std::size_t i = 0; i + 1 < size_; ++i) state[i] = phi_[i] * first + state[i + 1];
  state[size_ - 1] = phi_[size_ - 1] * first;
}

void ArmaFilter::predict_covariance() {
  // T P T' + R R' without the zeros of T; row and column size_ are taken as zero.
  const auto old = covariance_;
  const auto at = [&](std::size_t i, std::size_t j) {
    return i < size_ && j < size_ ? old[i][j] : 0.0;
  };
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j < size_; ++j)
      covariance_[i][j] = phi_[i] * phi_[j] * old[0][0] + phi_[i] * at(0, j + 1) +
                          phi_[j] * at(i + 1, 0) + at(i + 1, j + 1) + response_[i] * response_[j];
}

ArmaFilter::Innovation ArmaFilter::update(double x) {
  const double value = x - mean_ - state_[0];
  if (settled_) {
    for (std::size_t i = 0; i < size_; ++i) state_[i] += response_[i] * value;
    transition(state_);
    return {value, 1.0};
  }
  const double variance = covariance_[0][0];
  const State gain = covariance_[0];
  for (std::size_t i = 0; i < size_; ++i) state_[i] += gain[i] * value / variance;
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j < size_; ++j) covariance_[i][j] -= gain[i] * gain[j] / variance;
  transition(state_);
  predict_covariance();
  settled_ = covariance_[0][0] - 1.0 < 1e-9;
  return {value, variance};
}

double ArmaFilter::expected(int steps) const {
  State state = state_;
  for (int step = 1; step < steps; ++step) transition(state);
  return mean_ + state[0];
}

double ArmaFilter::spread(int steps) const {
  State state = response_;
  double squares = 1.0;
  for (int step = 1; step < steps; ++step) {
    transition(state);
    squares += state[0] * state[0];
  }
  return std::sqrt(squares);
}

ArmaFit fit_arma(std::span<const double> sample, int p, int q, const ArmaCoefficients* start,
                 int evaluations) {
  ArmaFit fit;
  const auto ar = static_cast<std::size_t>(p), ma = static_cast<std::size_t>(q);
  const double centre = mean(sample), scale = standard_deviation(sample);
  fit.coefficients = {std::vector<double>(ar, 0.0), std::vector<double>(ma, 0.0), centre};
  fit.aicc = INFINITY;
  if (sample.size() < 3 * (ar + ma + 2) || !(scale > 1e-12 * std::abs(centre)) || !(scale > 0.0))
    return fit;
  std::vector<double> z(sample.begin(), sample.end());
  for (double& value : z) value = (value - centre) / scale;

  ArmaCoefficients from = start != nullptr ? *start : hannan_rissanen(z, ar, ma);
  if (start != nullptr) from.mean = (start->mean - centre) / scale;
  VectorXd free = pack(from);
  ScaledInnovations residuals{z, ar, ma};
  Eigen::LevenbergMarquardt<ScaledInnovations> search(residuals);
  search.parameters.maxfev = evaluations;
  search.parameters.xtol = search.parameters.ftol = 1e-9;
  search.minimize(free);

  const ArmaCoefficients found = unpack(free, ar, ma);
  const Likelihood l = likelihood(z, found, [](double) {});
  if (!std::isfinite(l.log())) return fit;
  fit.coefficients = {found.ar, found.ma, centre + scale * found.mean};
  fit.variance = l.variance() * scale * scale;
  fit.log_likelihood = l.log() - l.count * std::log(scale);
  fit.aicc = aicc(fit.log_likelihood, l.count, static_cast<double>(ar + ma) + 2.0);
  fit.usable = true;
  return fit;
}

ArmaFit fit_arma_aicc(std::span<const double> sample, int max_p, int max_q, int evaluations) {
  ArmaFit best = fit_arma(sample, 0, 0, nullptr, evaluations);
  for (int p = 0; p <= max_p; ++p) {
    for (int q = p == 0 ? 1 : 0; q <= max_q; ++q) {
      ArmaFit fit = fit_arma(sample, p, q, nullptr, evaluations);
      if (fit.usable && fit.aicc < best.aicc) best = std::move(fit);
    }
  }
  return best;
}

std::vector<double> arma_standard_errors(std::span<const double> sample, const ArmaFit& fit) {
  const std::size_t p = fit.coefficients.ar.size(), q = fit.coefficients.ma.size(), k = p + q + 1;
  const double scale = standard_deviation(sample);
  const auto log_likelihood = [&](const VectorXd& shift) {
    ArmaCoefficients c = fit.coefficients;
    for (std::size_t i = 0; i < p; ++i) c.ar[i] += shift[to_index(i)];
    for (std::size_t j = 0; j < q; ++j) c.ma[j] += shift[to_index(p + j)];
    c.mean += shift[to_index(p + q)] * scale;
    return likelihood(sample, c, [](double) {}).log();
  };
  constexpr double step = 1e-3;
  MatrixXd information(to_index(k), to_index(k));
  for (Index i = 0; i < to_index(k); ++i) {
    for (Index j = 0; j <= i; ++j) {
      double difference = 0.0;
      for (const int a : {-1, 1}) {
        for (const int b : {-1, 1}) {
          VectorXd shift = VectorXd::Zero(to_index(k));
          shift[i] += a * step;
          shift[j] += b * step;
          difference += a * b * log_likelihood(shift);
        }
      }
      information(i, j) = information(j, i) = -difference / (4.0 * step * step);
    }
  }
  const VectorXd variance = information.inverse().diagonal();
  std::vector<double> errors(k);
  for (std::size_t i = 0; i < k; ++i) errors[i] = std::sqrt(std::max(0.0, variance[to_index(i)]));
  errors[k - 1] *= scale;
  return errors;
}

}  // namespace pat
