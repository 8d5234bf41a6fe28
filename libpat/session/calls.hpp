#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libpat/session/call.hpp"
#include "libpat/session/following.hpp"
#include "libpat/session/runs.hpp"

namespace pat::detail {

/// How one call of a collective goes from open to its end, step by step and without waiting; its
/// twin is set where not said otherwise. Who waits for it: see Rounds.
class Calls {
 public:
  Calls(const Config& config, const Circumstances& circumstances, const Forced& forced,
        Negotiation& negotiation, Records& records, Rest& rest, Following& following,
        const Runs& runs);
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // ---- the library's own

  /// Whether the arguments alone, which are equal on all ranks, leave the call to the library.
  bool is_static(const Call& call) const { return !why_static(call).empty(); }
  /// A plain call that the library does, waited for: nothing is to be agreed or brought forward.
  bool is_only_the_librarys(const Call& call) const { return is_static(call) && call.may_block(); }
  /// Makes such a call. Returns the library's code.
  int call_library(const Call& call) const;
  /// Counts such a call, which is over.
  void count(Locked&, Call& call, std::int64_t arrival_ns);
  /// A call of a communicator without a twin: it is not measured.
  void count_unmeasured() { unmeasured_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t unmeasured() const { return unmeasured_.load(); }
  /// Ranks in the session whose link to this process, as root of a star, was found slow.
  const std::set<int>& slow_links(Locked&) const { return slow_links_; }

  // ---- from open to ready

  /// Finds the stream of a call that is about to be made, or of a new request. Collective.
  void place(Locked&, Call& call);
  /// Persistent: the receive buffer is handed over. With or without a twin, as all that follows.
  void open(Locked&, Call& call);
  /// One part of the send buffer is handed over.
  void hand_over_part(Locked&, Call& call, std::size_t part);
  /// All of it is: the process has arrived.
  void ready(Locked&, Call& call, std::int64_t arrival_ns);

  // ---- going forward

  /// Decides, begins and moves what can be. `round` learns what it means for the daemon.
  void advance(Locked&, Call& call, By by, pace::Round& round);
  /// Nothing but its own messages is missing.
  bool is_under_way(Locked&, const Call& call) const;
  /// Why it is not under way.
  std::string what_it_lacks(Locked&, const Call& call) const;

  // ---- to the end

  /// A thread that has taken the call waits for it. Throws MpiFailure. Without the lock.
  void finish_taken(Call& call, const OnWait& on_wait) const;
  /// Its run is over: counts the call, which is idle again. Returns what the library said, throws
  /// MpiFailure for an error of a message.
  int end(Locked&, Call& call);
  /// The call is not to be waited for any more.
  void break_off(Locked&, Call& call);
  /// The call is idle, whatever has become of it.
  void let_go(Locked&, Call& call);
  /// The session is at its end: none waits for its turn in the library.
  void give_up_turns(Locked&) { in_order_.clear(); }

  /// Plain calls that threads are in.
  int in_calls(Locked&) const { return in_calls_; }

 private:
  std::string_view why_static(const Call& call) const;
  const Algorithm* algorithm_for(const Call& call) const;
  void note_links(Twin& twin, const std::vector<BlockTime>& times);
  void note_request(Locked&, Call& call);
  bool decide(Locked&, Call& call);
  void find_decision(Locked&, Call& call);
  void note_decided(Locked&, Call& call);
  void begin_library_in_order(Locked&, const Twin& twin);

  const Config& config_;
  const Circumstances& circumstances_;
  const Forced& forced_;
  Negotiation& negotiation_;
  Records& records_;
  Rest& rest_;
  Following& following_;
  const Runs& runs_;

  /// Calls that the library may do in its non-blocking form, in the order of the program: each
  /// begins when what all before it come to is known, so that all ranks begin them in one order.
  std::map<const Twin*, std::deque<Call*>> in_order_;
  int in_calls_ = 0;
  std::atomic<std::uint64_t> unmeasured_{0};
  std::set<int> slow_links_;
};

}  // namespace pat::detail
