#include "libpat/session/following.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/seconds.hpp"
#include "libpat/agreement/thread_id.hpp"

namespace pat::detail {
namespace {

/// Most settled calls in a row: then one comes by and handles their events.
constexpr std::uint32_t most_events_of_calls = 64, most_undecided_in_a_row = 256;
/// What coming by may cost, with a cold cache, and of the time between calls. Somebody whose lease
/// is called back, or whose phases have changed, finds that out when he comes by; who has no lease
/// hears of nothing.
constexpr double coming_by_s = 16e-6, coming_by_share = 0.005, coming_by_undecided_share = 0.001;

/// How many calls may be settled in a row where coming by may cost each `may_cost_s`; 0: unknown.
std::uint32_t events_in_a_row(double may_cost_s, std::uint32_t most) {
  if (may_cost_s <= 0.0) return most;
  const double calls = std::floor(coming_by_s / may_cost_s);
  return static_cast<std::uint32_t>(std::min<double>(calls, most));
}

/// The same of a series that the library does without a decision: at first few, and none where they
/// are far apart, as what phases are foretold to last is learnt when one comes by.
std::uint32_t undecided_in_a_row(Series& series, std::uint32_t calls, std::int64_t now) {
  const std::int64_t before = std::exchange(series.came_by_ns, now);
  const std::uint32_t since = calls - std::exchange(series.came_by_calls, calls);
  const double interval_s = before == 0 || since == 0 ? 0.0 : seconds(now - before) / since;
  return std::min(events_in_a_row(coming_by_undecided_share * interval_s, most_undecided_in_a_row),
                  8 + calls / 4);
}

/// Of the calls of a long lease the leader learns from the one in the middle: at both ends
/// processes are busy with decisions, and with what has waited in the queue meanwhile.
bool tells_of_its_way(const Stream& stream, std::uint32_t call) {
  const auto decision = stream.decision_for(call);
  return decision == nullptr || decision->live || decision->count < Judge::calls_with_a_quiet_one ||
         call == decision->first + (decision->count - 1) / 2;
}

constexpr std::int64_t all_of_them = std::numeric_limits<std::int64_t>::max();

}  // namespace

Following::Following(const Config& config, const Circumstances& circumstances, const Forced& forced,
                     Negotiation& negotiation, Twins& twins, Regions& regions, Records& records,
                     Rest& rest)
    : config_(config),
      circumstances_(circumstances),
      forced_(forced),
      negotiation_(negotiation),
      twins_(twins),
      regions_(regions),
      records_(records),
      rest_(rest) {}

// ---------------------------------------------------------------- the event queue

void Following::take_events(Locked& locked) {
  while (const auto event = regions_.next_event(locked, all_of_them))
    if (RegionState* region = take(locked, *event, Tell::others)) report(locked, *region);
}

void Following::note_events(Locked& locked) {
  while (const auto event = regions_.next_event(locked, all_of_them))
    take(locked, *event, Tell::nobody);
}

void Following::note_last_events(Locked& locked) {
  note_events(locked);
  for (RegionState* region : regions_.all(locked)) record_phase(locked, *region);
}

/// The events before a call, after it: those of phases that other threads have begun since stay,
/// and what the phase before the call left behind is no forecast of the next one: only phases
/// that still run are reported.
void Following::take_events_until(Locked& locked, std::int64_t arrival_ns) {
  std::set<RegionState*> changed;
  while (const auto event = regions_.next_event(locked, arrival_ns))
    if (RegionState* region = take(locked, *event, Tell::others)) changed.insert(region);
  for (RegionState* region : changed) report(locked, *region);
}

/// Returns the region whose forecast may have changed, or null.
RegionState* Following::take(Locked& locked, const ProgressEvent& event, Tell tell) {
  if (event.kind == ProgressEvent::Kind::call) {
    take_call(locked, event, tell);
    return nullptr;
  }
  RegionState& region = Regions::region_of(event);
  if (event.kind == ProgressEvent::Kind::start || event.kind == ProgressEvent::Kind::leave)
    record_phase(locked, region);
  RegionState* changed = regions_.take(locked, event);
  if (event.kind == ProgressEvent::Kind::end && tell == Tell::others) look_back(locked, region);
  return changed;
}

/// A settled one, which is over.
void Following::take_call(Locked& locked, const ProgressEvent& event, Tell tell) {
  Twin* twin = twins_.find(locked, event.call.communicator);
  if (twin == nullptr) return;
  const std::int64_t exit_ns =
      event.time_ns + static_cast<std::int64_t>(event.call.duration_s * 1e9);
  Stream* stream = twin->by_id(event.call.series);
  if (stream != nullptr) ++stream->next_call;
  Series& series = *twin->series(event.call.series);
  account(locked, *twin, series, records_.next_entry(locked, *twin), event.thread, event.time_ns,
          exit_ns, "mpi", event.call.site, tell);
  ++series.tally.calls_by_algorithm["mpi"];
  ++series.tally.settled_calls;
  series.tally.in_call_s += seconds(exit_ns - event.time_ns);
  if (stream != nullptr && tell == Tell::others)
    expect_next_call(locked, *twin, *stream, event.time_ns, exit_ns);
}

// ---------------------------------------------------------------- a call

void Following::account(Locked& locked, Twin& twin, Series& series, std::uint32_t entry,
                        std::uint16_t thread, std::int64_t arrival_ns, std::int64_t exit_ns,
                        std::string_view algorithm, std::uint16_t site, Tell tell) {
  RegionState* region = regions_.phase_before(locked, thread, arrival_ns, exit_ns);
  records_.add_call(locked, twin, entry, series, region, site, arrival_ns, exit_ns, algorithm);
  Stream* stream = twin.by_id(series.id);
  const LastCall before = exchange_last_call(thread, {stream, exit_ns});
  if (stream == nullptr) return;
  learn_what_followed(locked, twin, *stream, region, before, arrival_ns, tell);
  latest_ = {&twin, stream};
}

Following::LastCall Following::exchange_last_call(std::uint16_t thread, const LastCall& call) {
  constexpr std::size_t most_threads = 256;  // a program may make new ones all the time
  if (last_calls_.size() >= most_threads && !last_calls_.contains(thread)) last_calls_.clear();
  return std::exchange(last_calls_[thread], call);
}

void Following::learn_what_followed(Locked& locked, Twin& twin, Stream& stream, RegionState* region,
                                    const LastCall& before, std::int64_t arrival_ns, Tell tell) {
  stream.region = region;
  stream.follows_itself = before.stream == &stream;
  if (region != nullptr) {
    After& after = what_followed(*region);
    after.signature = stream.signature;
    after.request = stream.signature.form == Form::persistent ? &stream : nullptr;
    after.twin = &twin;
    return;
  }
  if (!stream.gaps) stream.gaps.emplace(make_predictor(config_.predictor));
  if (before.exit_ns == 0) return;
  const double gap_s = seconds(std::max<std::int64_t>(0, arrival_ns - before.exit_ns));
  stream.gaps->note_end(gap_s, gap_s, {}, {});
  if (tell == Tell::others) negotiation_.tell_if_moved(locked, twin, stream, gap_s);
}

void Following::expect_next_call(Locked& locked, Twin& twin, Stream& stream,
                                 std::int64_t arrival_ns, std::int64_t exit_ns) {
  stream.last_exit_ns = exit_ns;
  if (stream.signature.form == Form::plain) {  // what else a request waits for is not known
    const std::uint32_t call = stream.next_call - 1;
    if (stream.latest_arrival_ns != 0 && stream.latest_call + 1 == call)
      stream.interval_s.add(seconds(arrival_ns - stream.latest_arrival_ns));
    stream.latest_call = call;
    stream.latest_arrival_ns = arrival_ns;
    if (tells_of_its_way(stream, call)) {
      stream.past_call = call;
      stream.past_arrival_ns = arrival_ns;
      stream.past_exit_ns = exit_ns;
    }
    negotiation_.report_past(locked, twin, stream);
  }
  if (stream.region == nullptr && stream.follows_itself && circumstances_.daemon)
    negotiation_.report_gap(locked, twin, stream, exit_ns);
}

void Following::leave(Locked& locked, Call& call, std::int64_t exit_ns) {
  Twin& twin = *call.twin;
  take_events_until(locked, call.arrival_ns);
  account(locked, twin, *call.series, records_.next_entry(locked, twin), thread_number(),
          call.arrival_ns, exit_ns,
          call.decision ? std::string_view(call.decision->chosen().name) : "mpi",
          call.arguments.site_number);
  call.series->tally.in_call_s += seconds(exit_ns - call.arrival_ns);
  if (call.stream == nullptr) {
    Settled& settled = call.series->settled;
    settled.begin();
    const std::uint32_t calls = settled.calls.load();
    const std::uint32_t more = undecided_in_a_row(*call.series, calls, exit_ns);
    settled.until.store(twin.may_block ? calls + more : 0);
    return;
  }
  Stream& stream = *call.stream;
  expect_next_call(locked, twin, stream, call.arrival_ns, exit_ns);
  if (negotiation_.recalls()) negotiation_.poll(locked);  // whoever comes by hears of it
  stream.settled.until.store(settled_until(twin, stream));
  if (Negotiation::is_settled(&stream) && Negotiation::leads_far_enough(twin, stream)) {
    if (rest_.forecasts_wanted()) want_forecasts(locked);
    return;
  }
  if (stream.region != nullptr) stream.region->want_forecast(true);
  rest_.want_forecasts(true);
  if (rest_.holds()) rest_.end();
}

std::uint32_t Following::calls_in_a_row(const Stream& stream, const Decision& decision) const {
  if (!negotiation_.recalls()) return most_events_of_calls;
  double may_cost_s = coming_by_share * stream.interval_s.value();
  if (decision.worth_s > 0.0) may_cost_s = std::min(may_cost_s, decision.worth_s);
  return events_in_a_row(may_cost_s, most_events_of_calls);
}

/// The calls of a lease that is the library's, but for the last: before the lease ends the process
/// must come by, and the leader earlier, for those who run ahead.
std::uint32_t Following::settled_until(const Twin& twin, const Stream& stream) const {
  const auto decision = stream.decision_for(stream.next_call);
  if (!twin.may_block || decision == nullptr || decision->live || !is_library(decision->chosen()))
    return 0;
  if (stream.looks_out) return 0;
  const std::uint32_t last = twin.rank() == stream.leader_rank ? 2 : 1;
  const std::uint32_t end = decision->first + decision->count - std::min(decision->count, last);
  return std::min(end, stream.next_call + calls_in_a_row(stream, *decision));
}

// ---------------------------------------------------------------- a region

void Following::expect_on(Locked&, RegionState& region, Twin& twin) {
  what_followed(region).created_on = &twin;
}

void Following::report(Locked& locked, RegionState& region) {
  if (!circumstances_.daemon || !region.forecast_wanted()) return;
  const Expected next = after(locked, region);
  if (next.stream != nullptr)
    negotiation_.report_forecast(locked, region, *next.twin, *next.stream);
}

void Following::look_back(Locked& locked, const RegionState& region) {
  const Expected next = after(locked, region);
  if (next.stream != nullptr && next.stream->region == &region && region.record.end_ns != 0)
    negotiation_.tell_if_moved(locked, *next.twin, *next.stream,
                               seconds(region.record.end_ns - region.record.start_ns));
}

void Following::record_phase(Locked& locked, RegionState& region) {
  const After* after = known(region);
  records_.add_phase(locked, region, after != nullptr ? after->created_on : nullptr);
}

int Following::ranks_after(Locked&, const RegionState& region) const {
  const After* after = known(region);
  if (after == nullptr) return 0;
  const Twin* twin = after->twin != nullptr ? after->twin : after->created_on;
  return twin != nullptr ? twin->size() : 0;
}

std::optional<std::uint32_t> Following::age_of_pattern(Locked& locked,
                                                       const RegionState& region) const {
  const Stream* stream = after(locked, region).stream;
  if (region.pattern.epoch == 0 || stream == nullptr || stream->id != region.pattern_stream)
    return std::nullopt;
  return stream->next_call > region.pattern_call ? stream->next_call - region.pattern_call : 0;
}

// ---------------------------------------------------------------- what is expected

Following::After& Following::what_followed(const RegionState& region) {
  if (after_.size() <= region.id) after_.resize(region.id + 1);
  return after_[region.id];
}

const Following::After* Following::known(const RegionState& region) const {
  return after_.size() > region.id ? &after_[region.id] : nullptr;
}

Stream* Following::expected_stream(const RegionState& region) const {
  const After* after = known(region);
  if (after == nullptr) return nullptr;
  if (after->request != nullptr) return after->request;
  if (!after->signature || after->twin == nullptr) return nullptr;
  return after->twin->find(*after->signature, forced_.algorithm_for(*after->signature));
}

Following::Expected Following::after(Locked&, const RegionState& region) const {
  Stream* stream = expected_stream(region);
  return stream != nullptr ? Expected{known(region)->twin, stream} : Expected{};
}

bool Following::expects_a_call(const RegionState& region) const {
  const After* after = known(region);
  return after != nullptr && after->signature.has_value();
}

bool Following::is_decided(Locked&, const RegionState& region) const {
  return expects_a_call(region) && Negotiation::is_settled(expected_stream(region));
}

void Following::want_forecasts(Locked& locked) {
  bool wanted = latest_.stream != nullptr && !Negotiation::is_settled(latest_.stream);
  for (RegionState* region : regions_.all(locked)) {
    region->want_forecast(expects_a_call(*region) &&
                          !Negotiation::is_settled(expected_stream(*region)));
    wanted = wanted || region->forecast_wanted();
  }
  rest_.want_forecasts(wanted);
}

// ---------------------------------------------------------------- what goes

void Following::forget(Locked& locked, const RegionState& region) {
  what_followed(region) = {};
  for (const auto& [id, twin] : twins_.all(locked))
    for (const auto& stream : twin->streams())
      if (stream->region == &region) stream->region = nullptr;
}

void Following::forget(Locked&, const Twin& gone) {
  for (After& after : after_) {
    if (after.twin == &gone) {
      after.signature.reset();
      after.request = nullptr;
      after.twin = nullptr;
    }
    if (after.created_on == &gone) after.created_on = nullptr;
  }
  if (latest_.twin == &gone) latest_ = {};
  last_calls_.clear();
}

void Following::forget(Locked&, const Stream& gone) {
  last_calls_.clear();
  for (After& after : after_)
    if (after.request == &gone) {
      after.request = nullptr;
      after.signature.reset();
    }
}

}  // namespace pat::detail
