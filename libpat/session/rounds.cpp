#include "libpat/session/rounds.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/seconds.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/thread.hpp"

namespace pat::detail {
namespace {

int session_rank(const Call& call) {
  return call.twin != nullptr ? call.twin->session_rank(call.rank) : call.rank;
}

}  // namespace

Rounds::Rounds(const Config& config, const Circumstances& circumstances, Negotiation& negotiation,
               Twins& twins, Regions& regions, Rest& rest, Following& following, const Runs& runs,
               Calls& calls, Requests& requests, const std::atomic<int>& failure)
    : config_(config),
      circumstances_(circumstances),
      negotiation_(negotiation),
      twins_(twins),
      regions_(regions),
      rest_(rest),
      following_(following),
      runs_(runs),
      calls_(calls),
      requests_(requests),
      failure_(failure) {}

pace::Round Rounds::progress(Locked& locked, By by) {
  pace::Round round;
  if (by == By::caller || events_are_due()) following_.take_events(locked);
  round.messages = negotiation_.poll(locked);
  if (negotiation_.looks_out(locked)) round.computing = true;  // keeps the daemon awake
  twins_.advance_departures(locked);
  if (rest_.forecasts_wanted()) negotiation_.keep_time(locked);
  negotiation_.decide_what_is_due(locked, round);
  for (RegionState* region : regions_.all(locked)) {
    if (!region->is_computing()) continue;
    const bool decided = following_.is_decided(locked, *region);
    (decided ? round.decided_phase : round.computing) = true;
    if (decided) continue;
    const auto [twin, stream] = following_.after(locked, *region);
    if (stream != nullptr && stream->signature.form != Form::persistent)
      advance_ahead(locked, *twin, *stream, round);
  }
  for (const auto& [number, call] : requests_.all(locked)) calls_.advance(locked, *call, by, round);
  const auto [twin, stream] = following_.latest(locked);
  if (!round.computing && !round.decided_phase && calls_.in_calls(locked) == 0 &&
      stream != nullptr && stream->region == nullptr && stream->signature.form != Form::persistent)
    advance_ahead(locked, *twin, *stream, round);
  rest(locked, round);
  if (by == By::daemon) negotiation_.elsewhere().go_on(locked);
  return round;
}

/// While all is settled no event changes what the daemon has to do. Who fills the queue empties it
/// (Session::note), so that short phases cost no other core; the records follow all the same.
bool Rounds::events_are_due() {
  const std::int64_t now = now_ns();
  if (rest_.holds() && now - events_taken_ns_ < pace::rest_ns) return false;
  events_taken_ns_ = now;
  return true;
}

/// The program's next call, which it has not made yet.
void Rounds::advance_ahead(Locked& locked, Twin& twin, Stream& stream, pace::Round& round) {
  if (!stream.ahead) {
    stream.ahead = runs_.make_ahead(locked, twin, stream, round);
    if (!stream.ahead) return;
    ++stream.tally.background_calls;
    spdlog::debug("{} on communicator {}, stream {}, call {}: rank {} begins before it arrives",
                  name(stream.signature.operation), twin.id(), stream.id, stream.next_call,
                  twin.rank());
  }
  if (stream.motion.round(stream.ahead->advance(By::daemon), now_ns())) round.moving = true;
}

// ---------------------------------------------------------------- until the next round

/// All that is expected is decided, and nothing that this process leads is open: a call may be
/// asked for before it is this process's next one, by those who run ahead.
bool Rounds::may_rest(Locked& locked) const {
  return !rest_.forecasts_wanted() && requests_.all(locked).empty() &&
         !twins_.any_departing(locked) && negotiation_.leads_far_enough(locked);
}

/// Nothing that this process could tell or do changes before its next phase begins, which wakes the
/// daemon while forecasts of it are wanted: a decision that comes meanwhile is found by the call
/// itself. Not where data moves early, for which it must be awake in time.
bool Rounds::waits_for_a_phase(Locked& locked, const pace::Round& round) const {
  if (round.computing || !requests_.all(locked).empty() || negotiation_.leads(locked) ||
      twins_.any_departing(locked))
    return false;
  if (round.decided_phase) return true;
  const Stream* stream = following_.latest(locked).stream;
  if (stream == nullptr || stream->region == nullptr || stream->next_call == 0) return false;
  const auto latest = stream->decision_for(stream->next_call - 1);
  return latest != nullptr && !latest->live && !latest->chosen().background;
}

/// What the end of a round says of the time until the next.
void Rounds::rest(Locked& locked, pace::Round& round) {
  following_.want_forecasts(locked);
  round.resting = may_rest(locked);
  round.idle = !round.resting && waits_for_a_phase(locked, round);
  round.leading = round.resting && negotiation_.leads(locked);
  const std::int64_t pause_ns = round.leading ? pace::longest_pause_ns : pace::rest_ns;
  rest_.begin(round.resting ? now_ns() + pause_ns : 0);
}

// ---------------------------------------------------------------- waiting for a call

/// Whether requests beside `call` move in the program's threads only.
bool Rounds::others_need_threads(Locked& locked, const Call& call) const {
  const auto& all = requests_.all(locked);
  return std::any_of(all.begin(), all.end(), [&](const auto& entry) {
    const Call& other = *entry.second;
    return &other != &call && other.active() && (!circumstances_.daemon || other.keeps_operator());
  });
}

bool Rounds::test(Locked& locked, Call& call, int& code) {
  code = MPI_SUCCESS;
  if (!call.active()) return true;
  pace::Round round;
  if (!circumstances_.daemon || others_need_threads(locked, call))
    progress(locked, By::caller);
  else
    calls_.advance(locked, call, By::caller, round);
  if (!call.over()) return false;
  call.run->finish(nullptr);  // brings home what does not fit the user's type
  code = calls_.end(locked, call);
  return true;
}

void Rounds::wait_until_under_way(Locked& locked, Call& call) {
  pace::Round ignored;
  calls_.advance(locked, call, By::caller, ignored);
  if (calls_.is_under_way(locked, call)) return;
  const std::int64_t begin_ns = now_ns();
  Patience patience(config_.watchdog_s);
  for (int attempt = 0; !calls_.is_under_way(locked, call); ++attempt) {
    locked.without([&] { pause(attempt); });
    progress(locked, By::caller);
    check(failure_);
    calls_.advance(locked, call, By::caller, ignored);
    const double so_far_s = seconds(now_ns() - begin_ns);
    if (patience.ends(so_far_s))
      spdlog::critical("{} on rank {} has waited {:.1f} s: {}", call.arguments.function,
                       session_rank(call), so_far_s, calls_.what_it_lacks(locked, call));
  }
}

/// What to call now and then while this thread waits inside a call: the watchdog, and, where no
/// daemon does it, what brings other requests forward. Null if there is nothing to do.
OnWait Rounds::on_wait(Locked& locked, const Call& call) {
  const bool pushes = others_need_threads(locked, call);
  if (!pushes && config_.watchdog_s <= 0.0) return nullptr;
  return [this, &locked, &call, pushes,
          patience = Patience(config_.watchdog_s)](double waited_s) mutable {
    if (pushes) locked.again([&] { progress(locked, By::caller); });
    if (patience.ends(waited_s))
      spdlog::critical("{} on rank {} has waited {:.1f} s: {}", call.arguments.function,
                       session_rank(call), waited_s, call.run->state());
  };
}

int Rounds::finish(Locked& locked, Call& call) {
  const Watchdog::Watch present(circumstances_.watchdog, call.arguments, place_of(call),
                                Watchdog::Says::nothing);
  if (call.signature.form != Form::plain && call.waits_since_ns == 0)
    call.waits_since_ns = now_ns();
  try {
    wait_until_under_way(locked, call);
    check(failure_);
  } catch (...) {  // nothing of it is on its way, or the session is at its end
    if (call.signature.form == Form::plain) calls_.break_off(locked, call);
    throw;
  }
  call.taken = true;
  const OnWait hook = on_wait(locked, call);
  try {
    locked.without([&] { calls_.finish_taken(call, hook); });
  } catch (...) {
    if (call.twin != nullptr && !call.by_library()) call.twin->break_off(locked);
    calls_.break_off(locked, call);
    throw;
  }
  return calls_.end(locked, call);
}

}  // namespace pat::detail
