// One round of everything that goes on in the background: events, messages, decisions that are due,
// data that moves.

#include <spdlog/spdlog.h>

#include <limits>
#include <set>

#include "collectives/operation_row.hpp"
#include "core/seconds.hpp"
#include "libpat/execution/schedule_run.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/session/calls.hpp"

namespace pat::detail {
namespace {

/// Whether early data can land before the call says what it is, and how much of it there is does
/// not vary.
bool lands_early(const CallSignature& signature) {
  return !signature.varying && row(signature.operation).lands_early;
}

}  // namespace

/// Returns the region whose forecast may have changed, or null.
RegionState* Calls::take(Locked& locked, const ProgressEvent& event, Tell tell) {
  if (event.kind == ProgressEvent::Kind::start || event.kind == ProgressEvent::Kind::leave)
    record_phase(locked, regions_.region_of(locked, event));
  if (event.kind != ProgressEvent::Kind::call) {
    RegionState* changed = regions_.take(locked, event);
    if (event.kind == ProgressEvent::Kind::end && tell == Tell::others)
      look_back(locked, regions_.region_of(locked, event));
    return changed;
  }
  Twin* twin = twins_.find(locked, event.call.communicator);
  if (twin == nullptr) return nullptr;
  const std::int64_t exit_ns =
      event.time_ns + static_cast<std::int64_t>(event.call.duration_s * 1e9);
  Stream* stream = twin->by_id(event.call.series);
  if (stream != nullptr) ++stream->next_call;
  Series& series = *twin->series(event.call.series);
  account(locked, *twin, series, next_entry(*twin), event.time_ns, exit_ns, "mpi", tell);
  ++series.tally.calls_by_algorithm["mpi"];
  ++series.tally.settled_calls;
  series.tally.in_call_s += seconds(exit_ns - event.time_ns);
  if (stream != nullptr && tell == Tell::others)
    expect_next_call(locked, *twin, *stream, event.time_ns, exit_ns);
  return nullptr;
}

void Calls::take_events(Locked& locked) {
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  while (const auto event = regions_.next_event(locked, all))
    if (RegionState* region = take(locked, *event, Tell::others)) report(locked, *region);
}

void Calls::note_events(Locked& locked) {
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  while (const auto event = regions_.next_event(locked, all)) take(locked, *event, Tell::nobody);
}

void Calls::note_last_events(Locked& locked) {
  note_events(locked);
  for (const auto& region : regions_.all(locked)) record_phase(locked, *region);
}

/// The events before a call, after it: those of phases that other threads have begun since stay,
/// and what the phase before the call left behind is no forecast of the next one: only phases
/// that still run are reported.
void Calls::take_events_until(Locked& locked, std::int64_t arrival_ns) {
  std::set<RegionState*> changed;
  while (const auto event = regions_.next_event(locked, arrival_ns))
    if (RegionState* region = take(locked, *event, Tell::others)) changed.insert(region);
  for (RegionState* region : changed) report(locked, *region);
}

pace::Round Calls::progress(Locked& locked, By by) {
  pace::Round round;
  if (by == By::caller || events_are_due()) take_events(locked);
  round.messages = negotiation_.poll(locked);
  if (negotiation_.looks_out(locked)) round.computing = true;  // keeps the daemon awake
  twins_.advance_departures(locked);
  negotiation_.decide_what_is_due(locked, round);
  for (RegionState* region : regions_.all(locked)) {
    if (!region->is_computing()) continue;
    round.computing = true;
    Stream* stream = expected_stream(*region);
    if (stream != nullptr && stream->signature.form != Form::persistent)
      advance_ahead(locked, *following(*region).twin, *stream, round);
  }
  for (const auto& [handle, call] : requests_) advance(locked, *call, by, round);
  if (!round.computing && in_calls_ == 0 && last_stream_ != nullptr &&
      last_stream_->region == nullptr && last_stream_->signature.form != Form::persistent)
    advance_ahead(locked, *last_twin_, *last_stream_, round);
  rest(locked, round);
  return round;
}

/// While all is settled no event changes what the daemon has to do. Who fills the queue empties it
/// (Session::note), so that short phases cost no other core; the records follow all the same.
bool Calls::events_are_due() {
  const std::int64_t now = now_ns();
  if (resting() && now - events_taken_ns_ < pace::rest_ns) return false;
  events_taken_ns_ = now;
  return true;
}

/// The program's next call, which it has not made yet.
void Calls::advance_ahead(Locked& locked, Twin& twin, Stream& stream, pace::Round& round) {
  const std::uint32_t number = stream.next_call;
  if (!stream.ahead) {
    const auto decision = number == 0 ? nullptr : stream.decision_for(number);
    if (decision == nullptr || !decision->chosen().background || !lands_early(stream.signature) ||
        !Twin::tags_are_free(stream, number) || !may_begin(twin, stream, *decision, number, round))
      return;
    auto built = program(locked, twin, stream, *decision, number, {});
    if (!stream.program.moves_early()) return;
    stream.ahead = std::make_unique<ScheduleRun>(std::move(built), twin.data(),
                                                 twin.tags(stream, number), config_.scratch_bytes);
    ++stream.tally.background_calls;
    spdlog::debug("{} on communicator {}, stream {}, call {}: rank {} begins before it arrives",
                  name(stream.signature.operation), twin.id(), stream.id, number, twin.rank());
  }
  note_moving(stream, stream.ahead->advance(By::daemon), round);
}

/// Whether the root of a live lease should begin the call in the background: shortly before the
/// first predicted arrival, when all have said their last word, or when somebody has come.
bool Calls::may_begin(const Twin& twin, const Stream& stream, const Decision& decision,
                      std::uint32_t number, pace::Round& round) const {
  if (!decision.live || !stream.leader) return true;
  const auto first = stream.leader->first_arrival_ns(number);
  if (first && (regions_.synchronised_now() >= *first - decision_margin_ns ||
                stream.leader->complete(number)))
    return true;
  int come = 0;
  check(PMPI_Iprobe(MPI_ANY_SOURCE, twin.tags(stream, number).announcement, twin.data(), &come,
                    MPI_STATUS_IGNORE));
  if (come) return true;
  if (first) round.due(*first - decision_margin_ns - regions_.clock_offset());
  return false;
}

void Calls::note_moving(Stream& stream, bool moved, pace::Round& round) const {
  if (stream.motion.round(moved, now_ns())) round.moving = true;
}

/// All calls that are expected are.
bool Calls::all_is_settled(Locked& locked) const {
  if (last_stream_ != nullptr && !Negotiation::is_settled(last_stream_)) return false;
  for (const RegionState* region : regions_.all(locked)) {
    const bool expects =
        following_.size() > region->id && following_[region->id].signature.has_value();
    if (expects && !Negotiation::is_settled(expected_stream(*region))) return false;
  }
  return true;
}

/// And nothing that this process leads is open: a call may be asked for before it is this process's
/// next one, by those who run ahead.
bool Calls::may_rest(Locked& locked) const {
  return requests_.empty() && !twins_.any_departing(locked) && all_is_settled(locked) &&
         negotiation_.leads_far_enough(locked);
}

/// Nothing that this process could tell or do changes before its next phase begins, which wakes the
/// daemon while forecasts are wanted: a decision that comes meanwhile is found by the call itself.
/// Not where data moves early, for which it must be awake in time.
bool Calls::waits_for_a_phase(Locked& locked, const pace::Round& round) const {
  const Stream* stream = last_stream_;
  if (stream == nullptr || stream->region == nullptr || stream->next_call == 0) return false;
  const auto latest = stream->decision_for(stream->next_call - 1);
  const bool may_move = latest == nullptr || latest->live || latest->chosen().background;
  return !may_move && !round.computing && requests_.empty() && !negotiation_.leads(locked) &&
         !twins_.any_departing(locked);
}

/// What the end of a round says of the time until the next.
void Calls::rest(Locked& locked, pace::Round& round) {
  forecasts_wanted_ = !all_is_settled(locked);
  round.resting = may_rest(locked);
  round.idle = !round.resting && waits_for_a_phase(locked, round);
  round.leading = round.resting && negotiation_.leads(locked);
  const std::int64_t pause_ns = round.leading ? pace::longest_pause_ns : pace::rest_ns;
  rests_until_ns_ = round.resting ? now_ns() + pause_ns : 0;
}

/// Something is to be done, or to be foretold; the next round sees what.
void Calls::rise() {
  rests_until_ns_ = 0;
  forecasts_wanted_ = true;
  wake_();
}

}  // namespace pat::detail
