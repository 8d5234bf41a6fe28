#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/arrival_pattern.hpp"
#include "core/arrival_record.hpp"
#include "core/clock.hpp"
#include "core/progress_event.hpp"
#include "predictors/predictor.hpp"

namespace pat::detail {

/// How well the forecasts of one process in one region were, over a run.
struct ForecastErrors {
  double sum_absolute_s = 0.0;
  std::uint64_t count = 0;
  void add(double error_s) {
    sum_absolute_s += error_s < 0 ? -error_s : error_s;
    ++count;
  }
  double mean_absolute_s() const {
    return count ? sum_absolute_s / static_cast<double>(count) : 0.0;
  }
};

/// One place in the program that computes and then communicates. The annotation calls touch the
/// atomics and the event queue only; the rest belongs to whoever holds the session's lock.
class RegionState {
 public:
  RegionState(std::uint32_t region_id, std::string region_name, const std::string& predictor)
      : id(region_id), name(std::move(region_name)), model(make_predictor(predictor)) {}

  /// Applies one event of this region, in order. Returns whether the forecast of the present phase
  /// may have changed.
  bool take(const ProgressEvent& event);
  /// Lets the model observe the phase that ended last. Apart from take(), because it is dear and
  /// the process is then about to enter a collective.
  void learn();
  /// From here on only its name is used.
  void free();
  /// The process is about to arrive or has: the last forecast of the present phase, if any.
  bool is_computing() const { return record.start_ns != 0 && record.end_ns == 0; }
  /// No later edge is expected in this phase.
  bool last_edge_seen() const {
    return !record.edges.empty() && record.edges.size() >= edges_before;
  }

  // Application threads.
  std::atomic<bool> computing{false};
  std::atomic<std::uint32_t> iteration{0};
  std::atomic<bool> alive{true};
  std::atomic<std::int64_t> instructions{0}, cycles{0};  ///< of all phases; 0 without counters
  HardwareCounters counters;

  // Under the session's lock.
  const std::uint32_t id;
  const std::string name;
  std::unique_ptr<Predictor> model;
  Forecast forecast;                                  ///< of the present phase, or of the next one
  ArrivalRecord record;                               ///< of the present or last phase
  std::vector<std::pair<std::string, double>> hints;  ///< of the present phase, or of the next one
  std::vector<std::pair<std::string, double>> last_hints;  ///< of the phase that ended last
  std::optional<Observation> unlearnt;  ///< a phase that the model has not seen yet
  std::size_t edges_before = 0;         ///< edges in the phase before
  ForecastErrors errors;
  ArrivalPattern pattern;  ///< of the last decision; epoch 0: none yet
  std::uint64_t phases = 0;
  double computing_s = 0.0;
};

}  // namespace pat::detail
