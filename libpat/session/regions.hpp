#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/event_queue.hpp"
#include "libpat/agreement/mistakes.hpp"
#include "libpat/agreement/region.hpp"
#include "libpat/agreement/region_sums.hpp"
#include "libpat/session/locked.hpp"
#include "libpat/session/session_clock.hpp"

namespace pat::detail {

/// The computing phases of this process: what the annotation calls leave in the event queue, and
/// what is known of each region. The functions without a Locked are for the program's own threads:
/// edge() any, the others one thread at a time per region. What the program does wrong in them is
/// counted, and the first of each kind and region is a warning in the log of rank 0; what the other
/// ranks do wrong is said at the end (report/mistakes).
class Regions {
 public:
  /// `clocks`: see SessionClock. One object at a time: the regions of an earlier one end here, if
  /// they have not.
  Regions(std::string predictor, const std::optional<ClockDifference>& clocks, int rank);
  /// A program may still hold handles: they are refused.
  ~Regions();
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  SessionClock& clock() { return clock_; }
  const SessionClock& clock() const { return clock_; }
  std::int64_t clock_offset() const { return clock_.offset_ns(); }
  std::int64_t synchronised_now() const { return clock_.now(); }

  /// The region of a handle, the default one for null. Throws Error(argument) for a freed one, and
  /// for what is no handle.
  RegionState& at(void* handle, const char* call) {
    return handle == nullptr ? *default_ : created(handle, call);
  }
  /// Its place and generation: the handle of a freed region never is another's.
  static void* handle_of(const RegionState& region);

  /// What the call of the program leaves behind. Throw Error(order or argument), naming `call`.
  ProgressEvent start(RegionState& region, const char* call);
  ProgressEvent edge(RegionState& region, double fraction, const char* call);
  /// With `sum` there is no event: how long it lasts is added to untold_pauses_ns, so that a phase
  /// with many pauses leaves two events for them, and a resume comes back to one cache line.
  std::optional<ProgressEvent> pause(RegionState& region, const char* call, bool sum);
  std::optional<ProgressEvent> resume(RegionState& region, const char* call);
  /// Ends a pause, too.
  ProgressEvent end(RegionState& region, const char* call);
  /// Counts a mistake of the program and throws it: `what` follows the name of the call.
  [[noreturn]] void refuse(const RegionState& region, std::string_view kind, ErrorKind error,
                           const char* call, const std::string& what);
  /// Counts the phases that `call`, the last one of the session, finds begun and not ended.
  void count_open(Locked&, const char* call);
  std::vector<Mistake> mistakes() const { return mistakes_.all(); }

  /// False: the queue is full.
  bool push(const ProgressEvent& event) { return events_.push(event); }
  std::atomic<std::uint64_t> dropped_events{0};

  /// The next event that happened no later than that; nothing: there is none.
  std::optional<ProgressEvent> next_event(Locked&, std::int64_t until_ns);
  /// Thread-safe, without the lock.
  static RegionState& region_of(const ProgressEvent& event);
  /// Applies an event of a region; the region if its forecast may have changed, else null.
  RegionState* take(Locked&, const ProgressEvent& event);

  /// Takes over the place of a region that was freed: one of that name, or, where so many have been
  /// freed since, the one that was freed first.
  static constexpr std::size_t most_free = 64;
  RegionState& create(Locked&, const std::string& name);
  /// Throws Error(argument) for an unknown model, Error(order) inside a phase.
  void set_predictor(Locked&, RegionState& region, const std::string& predictor);
  /// Throws Error(order) inside a phase.
  void free(Locked&, RegionState& region);
  /// A covariate of the present phase, or of the next one between two phases.
  void hint(Locked&, RegionState& region, const std::string& name, double value);

  /// The region whose phase this thread has ended last before `arrival_ns`, of those that no call
  /// has followed yet: now its call has. Without one of its own, that of a thread that makes no
  /// calls itself. Null: none.
  RegionState* phase_before(Locked&, std::uint16_t thread, std::int64_t arrival_ns,
                            std::int64_t exit_ns);

  /// Those that are not freed.
  const std::vector<RegionState*>& all(Locked&) const { return regions_; }
  /// What all came to in this session, also those that were freed.
  RegionSums sums(Locked&) const;
  RegionState& default_region() const { return *default_; }

 private:
  RegionState& created(void* handle, const char* call);
  void count(const std::string& region, std::string_view kind, const std::string& sentence);
  void refuse_inside(const RegionState& region, const char* call);
  [[noreturn]] void refuse_freed(const RegionState& place, std::uint32_t generation,
                                 const char* call);
  [[noreturn]] void refuse_outside(const RegionState& region, std::string_view kind,
                                   const char* call);
  [[noreturn]] void refuse_fraction(const RegionState& region, double fraction, const char* call);
  /// What the edge before this one said in the same phase; 0 if there was none.
  static double exchange_fraction(const RegionState& region, std::uint32_t iteration,
                                  double fraction);
  void count_step_back(const RegionState& region, double before, double fraction, const char* call);
  RegionState& begin(RegionState& region);
  void add_free(RegionState& place);
  /// Null: a new one is wanted.
  RegionState* take_free(const std::string& name);
  void rename(RegionState& place, const std::string& name);

  const std::string predictor_;
  SessionClock clock_;
  const int rank_;
  Mistakes mistakes_;
  EventQueue<ProgressEvent, 4096> events_;
  std::optional<ProgressEvent> waiting_;  // taken from the queue and not handled
  std::vector<RegionState*> regions_;
  std::set<std::uint16_t> callers_;  // threads whose calls have asked for the phase before them
  std::list<RegionState*> free_;     // those that were freed first come first
  std::multimap<std::string, std::list<RegionState*>::iterator> free_by_name_;
  RegionSums gone_;  // of places that have other names now
  RegionState* default_;
};

}  // namespace pat::detail
