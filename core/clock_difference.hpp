#pragma once

#include <algorithm>
#include <cstdint>

namespace pat {

/// What is known of how far another clock is ahead of one's own. An exchange of messages says it to
/// half of its round trip (Cristian 1989, Distributed Computing 3); between two exchanges the
/// clocks drift apart, at a rate that the exchanges so far tell. So there is an interval at each
/// time, and an exchange that is worse than what is known says nothing (Marzullo and Owicki 1983,
/// ACM PODC). All times in nanoseconds of one's own clock where not said otherwise; not
/// thread-safe.
class ClockDifference {
 public:
  /// Quartz is within this of its rate, and so its drift before there is a second exchange.
  static constexpr double most_drift = 100e-6;

  /// At time `at_ns` the other clock was ahead by `ahead_ns`, give or take `half_width_ns`.
  explicit ClockDifference(std::int64_t at_ns = 0, std::int64_t ahead_ns = 0,
                           std::int64_t half_width_ns = 0)
      : first_{at_ns, ahead_ns, half_width_ns}, latest_(first_) {}

  /// The other clock showed `theirs_ns` between one's own `sent_ns` and `received_ns`.
  void note(std::int64_t sent_ns, std::int64_t theirs_ns, std::int64_t received_ns) {
    const std::int64_t half = std::max<std::int64_t>(0, received_ns - sent_ns) / 2;
    const std::int64_t at = sent_ns + half;
    if (at <= latest_.at_ns || half >= half_width_ns(at)) return;
    latest_ = {at, theirs_ns - at, half};
    const auto since = static_cast<double>(at - first_.at_ns);
    const double doubt = static_cast<double>(first_.half_width_ns + half) / since;
    if (doubt >= drift_doubt_) return;
    drift_ = static_cast<double>(latest_.ahead_ns - first_.ahead_ns) / since;
    drift_doubt_ = doubt;
  }

  /// How far the other clock is ahead at this time.
  std::int64_t ahead_ns(std::int64_t at_ns) const {
    return latest_.ahead_ns +
           static_cast<std::int64_t>(drift_ * static_cast<double>(at_ns - latest_.at_ns));
  }
  /// By how much that may be wrong.
  std::int64_t half_width_ns(std::int64_t at_ns) const {
    const auto since = static_cast<double>(std::max<std::int64_t>(0, at_ns - latest_.at_ns));
    return latest_.half_width_ns + static_cast<std::int64_t>(drift_doubt_ * since);
  }

 private:
  struct Known {
    std::int64_t at_ns, ahead_ns, half_width_ns;
  };
  Known first_, latest_;
  double drift_ = 0.0, drift_doubt_ = most_drift;
};

}  // namespace pat
