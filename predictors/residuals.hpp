#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/forecast.hpp"

namespace pat {

/// The last 64 absolute errors of a model; turns a point forecast into one with a 90 % interval (the
/// empirical quantile, as split conformal prediction does: Vovk et al., Algorithmic Learning in a
/// Random World, 2005).
class Residuals {
 public:
  void add(double error_s) {
    if (!std::isfinite(error_s)) return;
    errors_[count_ % errors_.size()] = std::abs(error_s);
    ++count_;
  }
  void clear() { count_ = 0; }

  Forecast around(double mean_s) const {
    if (!std::isfinite(mean_s)) return {};
    const double mean = std::max(0.0, mean_s);
    const double half = half_width_s(mean);
    return {mean, std::max(0.0, mean - half), mean + half, true};
  }

 private:
  double half_width_s(double mean_s) const {
    const std::size_t n = std::min(count_, errors_.size());
    if (n < 4) return 0.5 * mean_s;  // too little to go by: say so with a wide interval
    std::array<double, 64> sorted;
    std::copy_n(errors_.begin(), n, sorted.begin());
    const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(n + 1)));
    const std::size_t index = std::min(rank, n) - 1;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(index),
                     sorted.begin() + static_cast<std::ptrdiff_t>(n));
    return sorted[index];
  }

  std::array<double, 64> errors_{};
  std::size_t count_ = 0;
};

}  // namespace pat
