#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "libpat/session/call.hpp"
#include "libpat/session/circumstances.hpp"
#include "libpat/session/forced.hpp"
#include "libpat/session/negotiation.hpp"
#include "libpat/session/records.hpp"
#include "libpat/session/rest.hpp"

namespace pat::detail {

/// What follows what in this process: takes in what phases and settled calls leave behind, learns
/// which calls follow which region, and tells the leaders what is expected next.
class Following {
 public:
  enum class Tell : std::uint8_t { others, nobody };

  Following(const Config& config, const Circumstances& circumstances, const Forced& forced,
            Negotiation& negotiation, Twins& twins, Regions& regions, Records& records, Rest& rest);
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;

  // ---- the event queue

  void take_events(Locked&);
  /// Only counts and records what waits in the queue: no word to anybody, no MPI.
  void note_events(Locked&);
  /// And the phases that no call will follow: the session is at its end.
  void note_last_events(Locked&);

  // ---- a call

  /// A call of the series is known, by its number in the journal, its thread's and its site's: it
  /// is recorded, and what it followed is learnt.
  void account(Locked&, Twin& twin, Series& series, std::uint32_t entry, std::uint16_t thread,
               std::int64_t arrival_ns, std::int64_t exit_ns, std::string_view algorithm,
               std::uint16_t site, Tell tell = Tell::others);
  /// The stream's call is over: from here on its next one is waited for.
  void expect_next_call(Locked&, Twin& twin, Stream& stream, std::int64_t arrival_ns,
                        std::int64_t exit_ns);
  /// A plain call is over: both, and whether its next ones are settled.
  void leave(Locked&, Call& call, std::int64_t exit_ns);

  // ---- a region

  /// The region's phases are expected to end in calls on this communicator.
  void expect_on(Locked&, RegionState& region, Twin& twin);
  /// A forecast of the region may have changed.
  void report(Locked&, RegionState& region);
  /// The region's last phase, if no call of PAT's has followed it and none will.
  void record_phase(Locked&, RegionState& region);
  /// The size of the communicator that the region's phases end on; 0: unknown.
  int ranks_after(Locked&, const RegionState& region) const;
  /// How many calls after this region were made since the one that its pattern was decided for;
  /// nothing: there is no pattern.
  std::optional<std::uint32_t> age_of_pattern(Locked&, const RegionState& region) const;

  // ---- what is expected

  /// A stream and the communicator's twin; null and null: nothing is known.
  struct Expected {
    Twin* twin = nullptr;
    Stream* stream = nullptr;
  };
  Expected after(Locked&, const RegionState& region) const;
  /// Whose call came last.
  Expected latest(Locked&) const { return latest_; }
  /// The call after the region is, and nothing moves before it.
  bool is_decided(Locked&, const RegionState& region) const;
  /// Says of each region whether its arrivals are to be foretold, and to `rest` whether any are, or
  /// those at the latest call.
  void want_forecasts(Locked&);

  // ---- what goes

  /// The program has freed the region; its place may be another's soon.
  void forget(Locked&, const RegionState& region);
  /// The user has freed the communicator.
  void forget(Locked&, const Twin& twin);
  /// The persistent request of this stream is freed.
  void forget(Locked&, const Stream& stream);

 private:
  /// What followed the last phase of a region.
  struct After {
    std::optional<CallSignature> signature;
    Stream* request = nullptr;  ///< a persistent call's; beats the signature
    Twin* twin = nullptr;
    Twin* created_on = nullptr;  ///< that PAT_Region_create named
  };

  /// The latest call of a thread.
  struct LastCall {
    const Stream* stream = nullptr;  ///< null: it was not decided
    std::int64_t exit_ns = 0;        ///< 0: none was made
  };

  /// Notes the thread's call and returns the one before it.
  LastCall exchange_last_call(std::uint16_t thread, const LastCall& call);
  After& what_followed(const RegionState& region);
  const After* known(const RegionState& region) const;
  Stream* expected_stream(const RegionState& region) const;
  bool expects_a_call(const RegionState& region) const;
  void take_events_until(Locked&, std::int64_t arrival_ns);
  RegionState* take(Locked&, const ProgressEvent& event, Tell tell);
  void take_call(Locked&, const ProgressEvent& event, Tell tell);
  void look_back(Locked&, const RegionState& region);
  void learn_what_followed(Locked&, Twin& twin, Stream& stream, RegionState* region,
                           const LastCall& before, std::int64_t arrival_ns, Tell tell);
  std::uint32_t settled_until(const Twin& twin, const Stream& stream) const;
  std::uint32_t calls_in_a_row(const Stream& stream, const Decision& decision) const;

  const Config& config_;
  const Circumstances& circumstances_;
  const Forced& forced_;
  Negotiation& negotiation_;
  Twins& twins_;
  Regions& regions_;
  Records& records_;
  Rest& rest_;
  std::vector<After> after_;                      // by region
  std::map<std::uint16_t, LastCall> last_calls_;  // by thread
  Expected latest_;
};

}  // namespace pat::detail
