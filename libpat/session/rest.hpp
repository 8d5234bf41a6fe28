#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace pat::detail {

/// Whether the background has anything to look at: a round says that it has not, and until when;
/// whoever begins something ends that. Thread-safe, without a lock: a program's PAT_Edge reads it.
class Rest {
 public:
  /// `wake`: the background has something to do.
  explicit Rest(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Everything that is expected is decided, and nothing is under way: nobody need look before
  /// this time, or before a call changes that. 0: it is not so.
  std::int64_t until_ns() const { return until_ns_.load(std::memory_order_relaxed); }
  bool holds() const { return until_ns() != 0; }
  /// Some call that is expected is not decided, so that its arrival is to be foretold.
  bool forecasts_wanted() const { return forecasts_wanted_.load(std::memory_order_relaxed); }

  void begin(std::int64_t until_ns) { until_ns_ = until_ns; }
  void want_forecasts(bool wanted) { forecasts_wanted_ = wanted; }
  /// Something is to be done, or to be foretold; the next round sees what.
  void end() {
    until_ns_ = 0;
    forecasts_wanted_ = true;
    wake_();
  }

 private:
  const std::function<void()> wake_;
  std::atomic<std::int64_t> until_ns_{0};
  std::atomic<bool> forecasts_wanted_{false};
};

}  // namespace pat::detail
