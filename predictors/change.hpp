#pragma once

#include <algorithm>

namespace pat {

/// Notices that the level which a model forecasts has moved: two one-sided cumulative sums of the
/// errors in units of their usual size. Each error counts at most `cap`, so that a single spike
/// never looks like a change; it takes three.
/// Source: Page, Continuous Inspection Schemes, Biometrika 41, 1954.
class ChangeDetector {
 public:
  /// Returns whether a change has just been noticed; it then starts afresh.
  bool add(double error_s, double scale_s) {
    const double z = scale_s > 0.0 ? std::clamp(error_s / scale_s, -cap, cap)
                                   : (error_s > 0.0   ? cap
                                      : error_s < 0.0 ? -cap
                                                      : 0.0);
    up_ = std::max(0.0, up_ + z - slack);
    down_ = std::max(0.0, down_ - z - slack);
    up_since_ = up_ > 0.0 ? up_since_ + 1 : 0;
    down_since_ = down_ > 0.0 ? down_since_ + 1 : 0;
    if (up_ <= limit && down_ <= limit) return false;
    since_ = up_ > limit ? up_since_ : down_since_;
    up_ = down_ = 0.0;
    up_since_ = down_since_ = 0;
    return true;
  }
  /// How many of the last values belong to the new phase.
  int since() const { return since_; }
  void clear() { *this = ChangeDetector(); }

 private:
  static constexpr double cap = 4.0, slack = 1.0, limit = 8.5;
  double up_ = 0.0, down_ = 0.0;
  int up_since_ = 0, down_since_ = 0, since_ = 0;
};

}  // namespace pat
