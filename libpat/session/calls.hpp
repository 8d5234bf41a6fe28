#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/journal.hpp"
#include "libpat/session/call.hpp"
#include "libpat/session/forced.hpp"
#include "libpat/session/negotiation.hpp"
#include "libpat/session/recent_calls.hpp"
#include "libpat/session/watchdog.hpp"

namespace pat::detail {

/// The calls of collectives in one process: how each goes from ready to its end, what follows which
/// computing phase, and what is counted and recorded of it.
class Calls {
 public:
  struct Circumstances {
    bool daemon;                         ///< this process has one
    bool daemon_everywhere;              ///< all processes of the session do
    std::shared_ptr<Watchdog> watchdog;  ///< null: none is wanted
  };
  /// `wake`: the background has something to do. `failure`: an MPI error of the background.
  /// `journal`: null if nobody wants records.
  Calls(const Config& config, Circumstances circumstances, const Forced& forced,
        Negotiation& negotiation, Twins& twins, Regions& regions, Journal* journal,
        std::function<void()> wake, const std::atomic<int>& failure);
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // ---- one call; its twin is set

  /// Whether the arguments alone, which are equal on all ranks, leave the call to the library.
  bool is_static(const Call& call) const { return !why_static(call).empty(); }
  /// A plain call that the library does, waited for: nothing is to be agreed or brought forward.
  bool is_only_the_librarys(const Call& call) const { return is_static(call) && may_block(call); }
  /// Makes such a call. Returns the library's code.
  int call_library(const Call& call) const;
  /// Counts such a call, which is over.
  void count(Locked&, Call& call, std::int64_t arrival_ns);
  /// A call of a communicator without a twin: it is not measured.
  void count_unmeasured() { unmeasured_calls_.fetch_add(1, std::memory_order_relaxed); }

  /// Finds the stream of a call that is about to be made, or of a new request. Collective.
  void place(Locked&, Call& call);
  /// Persistent: the receive buffer is handed over.
  void open(Locked&, Call& call);
  /// The send buffer is handed over: the process has arrived.
  void ready(Locked&, Call& call, std::int64_t arrival_ns);
  /// One part of it is.
  void hand_over_part(Locked&, Call& call, std::size_t part);
  /// Whether the call is over; never waits. If so the call is idle again, and `code` what it came
  /// to.
  bool test(Locked&, Call& call, int& code);
  /// Waits for the end; the call is idle again. Returns what the library said, throws MpiFailure
  /// for an error of a message.
  int finish(Locked&, Call& call);

  // ---- requests: calls that outlive the function that makes them

  using Handle = void*;
  Handle add(Locked&, std::unique_ptr<Call> call);
  bool is_request(Locked&, Handle handle) const;
  /// Throws Error(request) for what is none.
  Call& request(Locked&, Handle handle, const char* function);
  /// Whose error handler mistakes with it go to; MPI_COMM_NULL if that is unknown or freed.
  MPI_Comm user_communicator(Locked&, Handle handle) const;
  void release(Locked&, Handle handle);
  /// Releases one whose call cannot go on; what is on its way of it stays.
  void abandon(Locked&, Handle handle);
  std::size_t active_requests(Locked&) const;
  /// All processes of the session have a daemon, so that requests go on whatever the program does.
  bool daemon_everywhere() const { return circumstances_.daemon_everywhere; }

  // ---- in the background

  /// One round of everything that is due. By the daemon, or inside PAT's calls.
  pace::Round progress(Locked&, By by);
  void take_events(Locked&);
  /// Only counts and records what waits in the queue: no word to anybody, no MPI.
  void note_events(Locked&);
  /// And the phases that no call will follow: the session is at its end.
  void note_last_events(Locked&);

  // ---- what the session tells

  /// The region's phases are expected to end in calls on this communicator.
  void expect_on(Locked&, RegionState& region, Twin& twin);
  /// The program has freed the region; its place may be another's soon.
  void forget(Locked&, const RegionState& region);
  /// The region's last phase, if no call of PAT's has followed it and none will.
  void record_phase(Locked&, RegionState& region);
  /// The user freed the communicator.
  void forget(Locked&, Twin& twin);
  /// PAT_Finalize: requests are given up.
  void give_up_all(Locked&);
  /// The twin that expect_on() named; null once the user has freed the communicator.
  const Twin* created_on(Locked&, const RegionState& region) const;
  /// The size of the communicator that the region's phases end on; 0: unknown.
  int ranks_after(Locked&, const RegionState& region) const;
  /// How many calls after this region were made since the one that its pattern was decided for;
  /// nothing: there is no pattern.
  std::optional<std::uint32_t> age_of_pattern(Locked&, const RegionState& region) const;
  /// With PAT_LIVE: what has just been called.
  const RecentCalls& recent(Locked&) const { return recent_; }
  std::uint64_t unmeasured_calls() const { return unmeasured_calls_.load(); }
  /// Everything that is expected is decided, and nothing is under way: nobody need look before
  /// this time, or before a call changes that. 0: it is not so.
  std::int64_t rests_until_ns() const { return rests_until_ns_.load(std::memory_order_relaxed); }
  bool resting() const { return rests_until_ns() != 0; }
  /// Some call that is expected is not decided, so that its arrival is to be foretold.
  bool forecasts_wanted() const { return forecasts_wanted_.load(std::memory_order_relaxed); }
  /// A forecast of the region may have changed.
  void report(Locked&, RegionState& region);

 private:
  /// What followed the last phase of a region.
  struct Following {
    std::optional<CallSignature> signature;
    Stream* request = nullptr;  ///< a persistent call's; beats the signature
    Twin* twin = nullptr;
    Twin* created_on = nullptr;  ///< that PAT_Region_create named
  };

  // calls.cpp
  std::string_view why_static(const Call& call) const;
  bool may_block(const Call& call) const;
  bool keeps_operator(const Call& call) const;
  void note_request(Locked&, Call& call);
  void advance(Locked&, Call& call, By by, pace::Round& round);
  bool decide(Locked&, Call& call);
  void note_decided(Locked&, Call& call);
  std::unique_ptr<Run> make_run(Locked&, Call& call, pace::Round& round);
  std::unique_ptr<Run> make_schedule_run(Locked&, Call& call, pace::Round& round);
  std::unique_ptr<Run> make_library_run(Call& call);
  void begin_library_in_order(Locked&, Twin& twin);
  static bool is_under_way(const Call& call);
  void wait_until_under_way(Locked&, Call& call);
  OnWait on_wait(Locked&, const Call& call);
  void finish_run(Call& call, const OnWait& on_wait) const;
  int end(Locked&, Call& call);
  void leave(Locked&, Call& call, std::int64_t exit_ns);
  void break_off(Call& call);
  static void let_go(Call& call);
  std::shared_ptr<const Program> program(Locked&, Twin& twin, Stream& stream,
                                         const Decision& decision, std::uint32_t number,
                                         const std::vector<std::size_t>& counts);

  // rounds.cpp
  void take_events_until(Locked&, std::int64_t arrival_ns);
  enum class Tell : std::uint8_t { others, nobody };
  RegionState* take(Locked&, const ProgressEvent& event, Tell tell);
  void advance_ahead(Locked&, Twin& twin, Stream& stream, pace::Round& round);
  bool may_begin(const Twin& twin, const Stream& stream, const Decision& decision,
                 std::uint32_t number, pace::Round& round) const;
  void note_moving(Stream& stream, bool moved, pace::Round& round) const;
  bool all_is_settled(Locked&) const;
  bool may_rest(Locked&) const;
  bool waits_for_a_phase(Locked&, const pace::Round& round) const;
  void rest(Locked&, pace::Round& round);
  void rise();
  bool events_are_due();

  // following.cpp
  Following& following(const RegionState& region);
  Stream* expected_stream(const RegionState& region) const;
  void account(Locked&, Twin& twin, Series& series, std::uint32_t entry, std::int64_t arrival_ns,
               std::int64_t exit_ns, std::string_view algorithm, Tell tell = Tell::others);
  void look_back(Locked&, const RegionState& region);
  std::uint32_t next_entry(Twin& twin);
  void record(Twin& twin, std::uint32_t number, Series& series, const RegionState* region,
              std::int64_t arrival_ns, std::int64_t exit_ns, std::string_view algorithm);
  void learn_what_followed(Locked&, Twin& twin, Stream& stream, RegionState* region,
                           std::int64_t arrival_ns, Tell tell);
  void expect_next_call(Locked&, Twin& twin, Stream& stream, std::int64_t arrival_ns,
                        std::int64_t exit_ns);
  std::uint32_t settled_until(const Twin& twin, const Stream& stream) const;
  void forget_what_follows(const Twin& twin);

  const Config& config_;
  const Circumstances circumstances_;
  const Forced& forced_;
  Negotiation& negotiation_;
  Twins& twins_;
  Regions& regions_;
  Journal* const journal_;
  const std::function<void()> wake_;
  const std::atomic<int>& failure_;

  RecentCalls recent_;
  std::uint64_t requests_made_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Call>> requests_;
  std::vector<Following> following_;  // by region
  Stream* last_stream_ = nullptr;
  Twin* last_twin_ = nullptr;
  int in_calls_ = 0;  ///< plain calls that threads are in
  std::atomic<std::uint64_t> unmeasured_calls_{0};
  std::atomic<std::int64_t> rests_until_ns_{0};
  std::atomic<bool> forecasts_wanted_{false};
  std::int64_t events_taken_ns_ = 0;  ///< in the background
};

}  // namespace pat::detail
