#pragma once

#include <atomic>
#include <cstdint>

#include "libpat/session/requests.hpp"

namespace pat::detail {

/// What brings everything forward that is under way in this process, and how a thread waits for one
/// call of it.
class Rounds {
 public:
  /// `failure`: an MPI error of the background.
  Rounds(const Config& config, const Circumstances& circumstances, Negotiation& negotiation,
         Twins& twins, Regions& regions, Rest& rest, Following& following, const Runs& runs,
         Calls& calls, Requests& requests, const std::atomic<int>& failure);
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// One round of everything that is due: events, messages, decisions, data that moves. By the
  /// daemon, or inside PAT's calls. Never waits.
  pace::Round progress(Locked&, By by);

  /// Whether the call is over; never waits. If so the call is idle again, and `code` what it came
  /// to.
  bool test(Locked&, Call& call, int& code);
  /// Waits for the end; the call is idle again. Returns what the library said, throws MpiFailure
  /// for an error of a message.
  int finish(Locked&, Call& call);

 private:
  bool events_are_due();
  void advance_ahead(Locked&, Twin& twin, Stream& stream, pace::Round& round);
  bool may_rest(Locked&) const;
  bool waits_for_a_phase(Locked&, const pace::Round& round) const;
  void rest(Locked&, pace::Round& round);
  void wait_until_under_way(Locked&, Call& call);
  bool others_need_threads(Locked& locked, const Call& call) const;
  OnWait on_wait(Locked&, const Call& call);

  const Config& config_;
  const Circumstances& circumstances_;
  Negotiation& negotiation_;
  Twins& twins_;
  Regions& regions_;
  Rest& rest_;
  Following& following_;
  const Runs& runs_;
  Calls& calls_;
  Requests& requests_;
  const std::atomic<int>& failure_;
  std::int64_t events_taken_ns_ = 0;  ///< in the background
};

}  // namespace pat::detail
