#pragma once

#include <array>
#include <cstddef>

namespace pat {

/// The best linear blend, in the mean square, of two forecasts of the same value, learnt from their
/// past errors e and h with exponential forgetting: the first one's weight is
/// (<h h> - <e h>) / (<e e> + <h h> - 2 <e h>), kept within 0 and 1.
/// Source: Bates and Granger, The Combination of Forecasts, Operational Research Quarterly 20,
/// 1969.
class BestBlend {
 public:
  void add(double first_error, double second_error) {
    const double keep = count_ < 1 ? 0.0 : forgetting;
    ++count_;
    first_ = keep * first_ + (1.0 - keep) * first_error * first_error;
    second_ = keep * second_ + (1.0 - keep) * second_error * second_error;
    both_ = keep * both_ + (1.0 - keep) * first_error * second_error;
  }
  /// Weight of the first forecast; `fallback` before three errors are known.
  double weight(double fallback) const {
    const double scale = first_ + second_ - 2.0 * both_;
    if (count_ < 3 || !(scale > 0.0)) return fallback;
    const double w = (second_ - both_) / scale;
    return w < 0.0 ? 0.0 : w > 1.0 ? 1.0 : w;
  }

 private:
  static constexpr double forgetting = 0.96;
  std::size_t count_ = 0;
  double first_ = 0.0, second_ = 0.0, both_ = 0.0;
};

}  // namespace pat
