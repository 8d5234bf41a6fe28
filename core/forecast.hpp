#pragma once

#include <cmath>

namespace pat {

/// A predicted duration in seconds with an interval: whoever uses it must know how sure it is.
struct Forecast {
  double mean_s = 0.0;
  double lower_s = 0.0;  ///< lower end of the 90 % interval
  double upper_s = 0.0;  ///< upper end of the 90 % interval
  bool known = false;    ///< false until the model has seen enough to say anything

  double half_width_s() const { return 0.5 * (upper_s - lower_s); }
  /// Finite, not negative, and in order: what every forecast that leaves a predictor satisfies.
  bool valid() const {
    return std::isfinite(mean_s) && std::isfinite(lower_s) && std::isfinite(upper_s) &&
           0.0 <= lower_s && lower_s <= mean_s && mean_s <= upper_s;
  }
};

}  // namespace pat
