#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/clock.hpp"
#include "core/clock_difference.hpp"
#include "libpat/session/locked.hpp"

namespace pat::detail {

/// This process's clock and the session's, which is that of rank 0. Journals keep to the difference
/// that PAT_Init has measured, and what the clocks have drifted apart by PAT_Finalize is taken out
/// of them as a whole; forecasts go by the latest that is known.
class SessionClock {
 public:
  /// `measured`: nothing where all processes share a clock. `rank`: whose clock this is.
  SessionClock(const std::optional<ClockDifference>& measured, int rank)
      : rank_(rank),
        drifts_(measured.has_value() && rank != 0),
        known_(measured.value_or(ClockDifference())),
        begin_ns_(now_ns()),
        first_ns_(known_.ahead_ns(begin_ns_)),
        latest_ns_(first_ns_) {}
  SessionClock(const SessionClock&) = delete;
  SessionClock& operator=(const SessionClock&) = delete;

  int rank() const { return rank_; }
  /// Added to now_ns(): the session's clock, as it is known. Thread-safe.
  std::int64_t offset_ns() const { return latest_ns_.load(std::memory_order_relaxed); }
  std::int64_t now() const { return now_ns() + offset_ns(); }

  /// The same as journals have it.
  std::int64_t journal_offset_ns() const { return first_ns_; }
  /// On the journal's clock: when that was measured.
  std::int64_t begin_ns() const { return begin_ns_ + first_ns_; }

  /// By how much that may be wrong.
  std::int64_t doubt_ns(Locked&) const { return known_.half_width_ns(now_ns()); }

  /// Takes up what is known of the drift, and says whether rank 0 should be asked for its time:
  /// what is known may be wrong by more than `wanted_ns`, and the last time is long ago.
  bool tick(Locked&, std::int64_t wanted_ns) {
    if (!drifts_) return false;
    const std::int64_t now = now_ns();
    latest_ns_ = known_.ahead_ns(now);
    if (now - asked_ns_ < least_pause_ns || known_.half_width_ns(now) <= wanted_ns) return false;
    asked_ns_ = now;
    return true;
  }
  /// Rank 0 has answered what was asked at `sent_ns`, just now.
  void note(Locked&, std::int64_t sent_ns, std::int64_t theirs_ns) {
    const std::int64_t now = now_ns();
    known_.note(sent_ns, theirs_ns, now);
    latest_ns_ = known_.ahead_ns(now);
  }

 private:
  static constexpr std::int64_t least_pause_ns = 250'000'000;

  const int rank_;
  const bool drifts_;
  ClockDifference known_;
  const std::int64_t begin_ns_, first_ns_;
  std::atomic<std::int64_t> latest_ns_;
  std::int64_t asked_ns_ = 0;
};

}  // namespace pat::detail
