#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace pat {

constexpr int max_arma_order = 10;

/// x_t - mean = sum_i ar_i (x_{t-i} - mean) + e_t + sum_j ma_j e_{t-j}
struct ArmaCoefficients {
  std::vector<double> ar, ma;
  double mean = 0.0;
};

/// An ARMA process in state space form with its exact Kalman filter; the noise has variance 1.
/// Source: Harvey, Time Series Models, 1981, chapter 4; Gardner, Harvey and Phillips, Algorithm AS
/// 154, Applied Statistics 29, 1980.
class ArmaFilter {
 public:
  ArmaFilter() = default;
  /// Starts from the stationary distribution. The autoregressive part must be stationary.
  explicit ArmaFilter(const ArmaCoefficients& coefficients);

  struct Innovation {
    double value = 0.0;     ///< x minus what was expected
    double variance = 1.0;  ///< of it, in units of the noise's
  };
  /// Takes in one value. O(r^2), and O(r) once the filter has settled; r = max(p, q + 1).
  Innovation update(double x);
  /// Expected value `steps` >= 1 ahead. O(steps r).
  double expected(int steps) const;
  /// Standard error `steps` ahead over the one for 1 step.
  double spread(int steps) const;

 private:
  static constexpr std::size_t most = max_arma_order + 1;
  using State = std::array<double, most>;

  void transition(State& state) const;
  void predict_covariance();

  std::size_t size_ = 1;
  double mean_ = 0.0;
  State phi_{}, response_{1.0};  // padded with zeros; response = (1, ma_1, ma_2 ...)
  State state_{};
  std::array<State, most> covariance_{};
  bool settled_ = false;
};

struct ArmaFit {
  ArmaCoefficients coefficients;
  double variance = 0.0;        ///< of the noise
  double log_likelihood = 0.0;  ///< exact, Gaussian
  double aicc = 0.0;
  bool usable = false;  ///< false for samples that are constant or too short
};

/// Exact maximum likelihood: the innovations of the filter, scaled so that their squares add up to
/// the concentrated likelihood (Ansley 1979), minimised by Levenberg and Marquardt's method over
/// partial autocorrelations, which keeps the model stationary and invertible (Monahan 1984).
/// `start` (may be null) is where the search begins, else Hannan and Rissanen's estimate; at most
/// `evaluations` runs of the filter.
ArmaFit fit_arma(std::span<const double> sample, int p, int q,
                 const ArmaCoefficients* start = nullptr, int evaluations = 400);

/// The order of least AICc among p <= max_p, q <= max_q.
ArmaFit fit_arma_aicc(std::span<const double> sample, int max_p, int max_q, int evaluations = 400);

/// Standard errors of ar, ma and mean, in that order, from the curvature of the likelihood.
std::vector<double> arma_standard_errors(std::span<const double> sample, const ArmaFit& fit);

}  // namespace pat
