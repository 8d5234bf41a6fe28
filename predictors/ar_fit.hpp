#pragma once

#include <span>
#include <vector>

namespace pat {

/// An autoregression x_t - mean = sum_i coefficient_i (x_{t-i} - mean) + noise.
struct ArFit {
  std::vector<double> coefficient;
  double mean = 0.0;
  double variance = 0.0;  ///< of the noise
};

/// Burg's method: always stationary. The mean is the sample's. A constant or too short sample gives
/// coefficients of 0.
/// Source: Brockwell and Davis, Introduction to Time Series and Forecasting, 5.1.2.
ArFit fit_burg(std::span<const double> sample, int order);
/// As fit_burg, with the order from 0 to max_order that has the least AICc.
ArFit fit_burg_aicc(std::span<const double> sample, int max_order);
/// The Yule-Walker equations, solved by Durbin and Levinson's recursion.
/// Source: Brockwell and Davis, 5.1.1.
ArFit fit_yule_walker(std::span<const double> sample, int order);

}  // namespace pat
