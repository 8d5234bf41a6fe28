#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/arrival_pattern.hpp"
#include "core/arrival_record.hpp"
#include "core/clock.hpp"
#include "core/progress_event.hpp"
#include "libpat/agreement/fed_model.hpp"
#include "libpat/agreement/phase_edges.hpp"

namespace pat::detail {

/// How well the forecasts of one process in one region were, over a run: of those phases that
/// somebody wanted to have foretold.
struct ForecastErrors {
  double sum_absolute_s = 0.0;
  std::uint64_t count = 0;
  void add(double error_s) {
    sum_absolute_s += error_s < 0 ? -error_s : error_s;
    ++count;
  }
  void add(const ForecastErrors& other) {
    sum_absolute_s += other.sum_absolute_s;
    count += other.count;
  }
  double mean_absolute_s() const {
    return count ? sum_absolute_s / static_cast<double>(count) : 0.0;
  }
};

/// A mean in which the latest `recent` values weigh most.
class RecentMean {
 public:
  static constexpr int recent = 8;
  void add(double value) {
    known_ = std::min(known_ + 1, recent);
    mean_ += (value - mean_) / known_;
  }
  /// 0 before the first value.
  double value() const { return mean_; }

 private:
  double mean_ = 0.0;
  int known_ = 0;
};

/// What the phases of the regions that had one place came to in a session.
struct RegionTotals {
  std::uint64_t regions = 0;  ///< one after the other
  std::uint64_t phases = 0;
  std::uint64_t edges = 0;
  double computing_s = 0.0, paused_s = 0.0;
  ForecastErrors errors;
  void add(const RegionTotals& other) {
    regions += other.regions;
    phases += other.phases;
    edges += other.edges;
    computing_s += other.computing_s;
    paused_s += other.paused_s;
    errors.add(other.errors);
  }
};

/// One place in the program that computes and then communicates. The annotation calls touch the
/// atomics and the event queue only; the rest belongs to whoever holds the session's lock. When the
/// program has freed the region, another one takes the place over (RegionPlaces).
class RegionState {
 public:
  enum class Phase : std::uint8_t { none, computing, paused };

  RegionState(std::uint32_t region_id, std::string region_name)
      : id(region_id), name(std::move(region_name)) {}

  /// A region comes to be in this place, which is free.
  void begin(const std::string& predictor);
  /// Applies one event of this region, in order. Returns whether the forecast of the arrival after
  /// the present phase may have changed.
  bool take(const ProgressEvent& event);
  /// Makes the forecast of the present phase, or of the next one. Apart from take(), because it is
  /// dear: the model sees what has happened when somebody wants to know what will.
  void foretell();
  /// The same from all phases since, however short they are: the program asks.
  void foretell_from_all();
  /// Another model, which knows nothing yet.
  void use(const std::string& predictor);
  /// The place is free, and handles of the region are refused. What it came to is kept.
  void free();
  /// The place is free, and regions of another name will have it.
  void rename(const std::string& new_name);
  /// Of the region that was the place's `generation`th; empty: others had the place since.
  /// Thread-safe.
  std::string name_of(std::uint32_t generation) const;
  /// A session begins, or the place has another name: what was before is forgotten.
  void forget_totals();

  /// The process is about to arrive or has: the last forecast of the present phase, if any.
  bool is_computing() const { return record.start_ns != 0 && record.end_ns == 0; }
  /// What the latest edge of the present phase said is done.
  std::optional<double> fraction() const {
    return edge_ ? std::optional(edge_->fraction) : std::nullopt;
  }
  /// No later edge is expected in this phase.
  bool last_edge_seen() const { return record.edges != 0 && record.edges >= edges_before; }
  /// The call after it is expected and not decided, so that the arrival at it is to be foretold.
  /// Thread-safe.
  bool forecast_wanted() const { return forecast_wanted_.load(std::memory_order_relaxed); }
  void want_forecast(bool wanted) {  // only a change is written: others read it all the time
    if (wanted != forecast_wanted()) forecast_wanted_.store(wanted, std::memory_order_relaxed);
  }
  /// How long the present phase (or the next one) will have been paused when it ends: as long as
  /// recent ones on the average, or as long as it has been already if that is longer.
  double expected_pause_s() const;
  /// From the start of the present phase (or the next one) to the arrival: the forecast of the
  /// computing time, put off by the expected pause. The interval is that of the computing time.
  Forecast until_arrival() const;

  // Application threads. All that they touch is one cache line, which nobody writes to who holds
  // the lock: a program that waited comes back to a cold cache.
  alignas(64) std::atomic<Phase> phase{Phase::none};
  const std::uint32_t id;
  std::atomic<std::int64_t> started_ns{0};  ///< for who looks on: the present phase; 0: none
  std::atomic<std::int32_t> thread{0};      ///< that began it, see thread_id(); 0: none did
  /// Counts the phases of all regions that had this place, so that an event of one that is gone is
  /// not taken for its follower's.
  std::atomic<std::uint32_t> iteration{0};
  std::atomic<std::uint32_t> generation{0};  ///< how many regions in this place are gone
  /// Of pauses that no event tells of by itself (Regions::pause): when the present one began, or 0,
  /// and the sum of those that are over, until the next edge or the phase's end tells it.
  std::atomic<std::int64_t> untold_since_ns{0}, untold_pauses_ns{0};
  std::atomic<std::int64_t> instructions{0}, cycles{0};  ///< of all phases; 0 without counters
  HardwareCounters counters;

  // Under the session's lock.
  alignas(64) std::string name;  ///< does not change while the region lives
  /// Where programs that were not changed call from, with the collective's name; null: said by the
  /// program, which names it.
  const void* site = nullptr;
  const char* site_function = nullptr;
  std::optional<FedModel> model;   ///< none: the place is free
  Forecast forecast;               ///< made last, see foretell()
  ArrivalRecord record;            ///< of the present or last phase
  std::uint16_t ended_by = 0;      ///< see thread_number(); of the last phase
  Hints hints;                     ///< of the present phase, or of the next one
  Hints last_hints;                ///< of the phase that ended last
  PhaseEdges last_edges;           ///< of the phase that ended last
  std::uint32_t edges_before = 0;  ///< edges in the phase before
  RecentMean pauses_s;             ///< of whole phases, 0 for one without a pause
  ArrivalPattern pattern;          ///< of the last decision; epoch 0: none yet
  std::uint32_t pattern_stream = 0, pattern_call = 0;  ///< and the first call that it was for
  RegionTotals totals;

 private:
  bool is_of_present_phase(const ProgressEvent& event) const;
  bool take_edge(const ProgressEvent& event);
  bool take_resume(const ProgressEvent& event);
  void take_end(const ProgressEvent& event);
  void end_pause(std::int64_t now_ns);

  void note_forecast(const Forecast& made);

  mutable std::mutex name_mutex_;     ///< for who has the handle of a region that is gone
  std::uint32_t named_since_ = 0;     ///< the generation whose name is the present one
  std::atomic<bool> forecast_wanted_{false};
  std::int64_t paused_since_ns_ = 0;  ///< 0: it computes
  std::optional<EdgeReading> edge_;   ///< the latest one of the present phase
  PhaseEdges edges_;                  ///< of the present phase
  bool foretold_ = false;             ///< the present phase, or the next one
};

}  // namespace pat::detail
