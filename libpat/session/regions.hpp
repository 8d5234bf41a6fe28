#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/event_queue.hpp"
#include "libpat/agreement/region.hpp"
#include "libpat/session/locked.hpp"

namespace pat::detail {

/// The computing phases of this process: what the annotation calls leave in the event queue, and
/// what is known of each region. The functions without a Locked are for the program's own threads:
/// start() and end() one thread at a time per region, edge() any.
class Regions {
 public:
  /// `offset_ns` is added to now_ns() to get the session's clock.
  Regions(std::string predictor, std::int64_t offset_ns);
  /// A program may still hold handles: what they point to stays, and is refused.
  ~Regions();
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  std::int64_t clock_offset() const { return offset_ns_; }
  std::int64_t synchronised_now() const { return now_ns() + offset_ns_; }

  /// The region of a handle, the default one for null. Throws Error(argument) for a freed one.
  RegionState& at(void* handle, const char* call);

  /// What the call of the program leaves behind. Throw Error(order or argument), naming `call`.
  static ProgressEvent start(RegionState& region, const char* call);
  static ProgressEvent edge(RegionState& region, double fraction, const char* call);
  static ProgressEvent end(RegionState& region, const char* call);
  /// False: the queue is full.
  bool push(const ProgressEvent& event) { return events_.push(event); }
  std::atomic<std::uint64_t> dropped_events{0};

  /// The next event that happened no later than that; nothing: there is none.
  std::optional<ProgressEvent> next_event(Locked&, std::int64_t until_ns);
  RegionState& region_of(Locked&, const ProgressEvent& event) const {
    return *regions_[event.progress.region];
  }
  /// Applies an event of a region; the region if its forecast may have changed, else null.
  RegionState* take(Locked&, const ProgressEvent& event);

  RegionState& create(Locked&, const std::string& name);
  /// Throws Error(argument) for an unknown model, Error(order) inside a phase.
  void set_predictor(Locked&, RegionState& region, const std::string& predictor);
  /// Throws Error(order) inside a phase.
  void free(Locked&, RegionState& region);
  /// A covariate of the present phase, or of the next one between two phases.
  void hint(Locked&, RegionState& region, const std::string& name, double value);

  /// The region whose phase ended last before `arrival_ns` and that no call has followed yet: now
  /// this call has. Null: none.
  RegionState* phase_before(Locked&, std::int64_t arrival_ns, std::int64_t exit_ns);

  const std::vector<std::unique_ptr<RegionState>>& all(Locked&) const { return regions_; }
  RegionState& default_region() const { return *default_; }

 private:
  const std::string predictor_;
  const std::int64_t offset_ns_;
  EventQueue<ProgressEvent, 4096> events_;
  std::optional<ProgressEvent> waiting_;  // taken from the queue and not handled
  std::vector<std::unique_ptr<RegionState>> regions_;
  RegionState* default_;
};

}  // namespace pat::detail
