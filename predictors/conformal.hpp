#pragma once

#include <algorithm>
#include <cmath>

#include "core/forecast.hpp"
#include "predictors/window.hpp"

namespace pat {

/// Turns a point forecast into one with a 90 % interval by online conformal prediction: the half
/// width is a quantile of the last absolute errors, and the level of the quantile follows the
/// misses, alpha <- alpha + step (0.1 - miss), so that in the long run one value in ten lies
/// outside whatever the errors' distribution does. Source: Gibbs and Candes, Adaptive Conformal
/// Inference Under Distribution Shift, NeurIPS 2021, Eq. 2, over the empirical quantiles of a
/// sliding window.
class ConformalInterval {
 public:
  /// The forecast missed by `error_s`. Constant time and memory.
  void add(double error_s) {
    if (!std::isfinite(error_s)) return;
    const double size_s = std::abs(error_s);
    if (errors_.size() >= enough) {
      const bool miss = size_s > half_width_s();
      alpha_ = std::clamp(alpha_ + step * (target - (miss ? 1.0 : 0.0)), -0.25, 0.4);
    }
    errors_.push(size_s);
    floor_s_ *= floor_decay;
  }

  /// The errors so far belong to a past that is over: the interval opens to twice its width and
  /// closes as errors of the new phase come in.
  void restart() {
    if (errors_.size() > 0) floor_s_ = std::max(floor_s_, 2.0 * errors_.largest());
    errors_.clear();
    alpha_ = target;
  }

  void clear() { *this = ConformalInterval(); }

  /// Typical error (median over 0.6745: the standard deviation if errors are normal); 0 without
  /// any.
  double scale_s() const { return errors_.size() > 0 ? errors_.median() / 0.6745 : 0.0; }
  std::size_t size() const { return errors_.size(); }

  /// Unknown for a mean that is not finite or no time that a program computes for, else valid(): a
  /// negative mean becomes 0.
  Forecast around(double mean_s, double widening = 1.0) const {
    constexpr double longest_s = 1e8;  // three years
    if (!std::isfinite(mean_s) || mean_s > longest_s) return {};
    const double mean = std::max(0.0, mean_s);
    const double half = errors_.size() < enough && floor_s_ == 0.0
                            ? std::max(0.5 * mean, half_width_s())
                            : half_width_s();
    const double wide = std::min(half * widening, 1e300);
    return {mean, std::max(0.0, mean - wide), mean + wide, true};
  }

 private:
  static constexpr std::size_t window = 64, enough = 4;
  static constexpr double target = 0.1, step = 0.02, floor_decay = 0.8;

  double half_width_s() const {
    const std::size_t n = errors_.size();
    if (n == 0) return floor_s_;
    const double position = (1.0 - alpha_) * static_cast<double>(n + 1) - 1.0;
    const double beyond = position - static_cast<double>(n - 1);
    double half_s = errors_.at(position);
    // More is asked for than the sample holds: go past its largest error, further for a small
    // sample and for a level that has been driven below zero.
    if (beyond > 0.0) half_s *= 1.0 + beyond / std::sqrt(static_cast<double>(n + 1));
    return std::max(half_s, floor_s_);
  }

  SortedWindow errors_{window};
  double alpha_ = target;
  double floor_s_ = 0.0;
};

}  // namespace pat
