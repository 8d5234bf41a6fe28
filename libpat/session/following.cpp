// What a call leaves behind: which phase it followed, what is counted and recorded of it, and what
// is expected next.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "collectives/call_name.hpp"
#include "core/errors.hpp"
#include "core/seconds.hpp"
#include "libpat/session/calls.hpp"

namespace pat::detail {
namespace {

/// Most settled calls in a row: then one comes by and handles their events.
constexpr std::uint32_t most_events_of_calls = 64;
/// What coming by may cost, with a cold cache, and of the time between calls. Somebody whose lease
/// is called back, or whose phases have changed, finds that out when he comes by.
constexpr double coming_by_s = 16e-6, coming_by_share = 0.005;

/// How many calls `interval_s` apart may be settled in a row.
std::uint32_t events_in_a_row(double interval_s) {
  if (interval_s <= 0.0) return most_events_of_calls;
  const double calls = std::floor(coming_by_s / (coming_by_share * interval_s));
  return static_cast<std::uint32_t>(std::min<double>(calls, most_events_of_calls));
}

/// What was called, after which region.
std::string place_of(const Series& series, const RegionState* region) {
  const CallSignature& made = series.signature;
  CallName called{made.operation, made.root, std::nullopt};
  if (!made.varying) called.block_bytes = made.block_bytes;
  std::string place = text_of(called);
  if (made.form == Form::persistent) place += ", persistent";
  if (made.form == Form::nonblocking) place += ", non-blocking";
  return region != nullptr ? place + ", after region " + region->name : place;
}

}  // namespace

Calls::Following& Calls::following(const RegionState& region) {
  if (following_.size() <= region.id) following_.resize(region.id + 1);
  return following_[region.id];
}

Stream* Calls::expected_stream(const RegionState& region) const {
  if (following_.size() <= region.id) return nullptr;
  const Following& after = following_[region.id];
  if (after.request != nullptr) return after.request;
  if (!after.signature || after.twin == nullptr) return nullptr;
  return after.twin->find(*after.signature, forced_.algorithm_for(*after.signature));
}

void Calls::report(Locked& locked, RegionState& region) {
  if (!circumstances_.daemon || !forecasts_wanted()) return;
  Stream* stream = expected_stream(region);
  if (stream == nullptr) return;
  negotiation_.report_forecast(locked, region, *following(region).twin, *stream);
}

void Calls::expect_on(Locked&, RegionState& region, Twin& twin) {
  following(region).created_on = &twin;
}

const Twin* Calls::created_on(Locked&, const RegionState& region) const {
  return following_.size() > region.id ? following_[region.id].created_on : nullptr;
}

int Calls::ranks_after(Locked&, const RegionState& region) const {
  if (following_.size() <= region.id) return 0;
  const Following& after = following_[region.id];
  const Twin* twin = after.twin != nullptr ? after.twin : after.created_on;
  return twin != nullptr ? twin->size() : 0;
}

void Calls::forget(Locked& locked, const RegionState& region) {
  following(region) = {};
  for (const auto& [id, twin] : twins_.all(locked))
    for (const auto& stream : twin->streams())
      if (stream->region == &region) stream->region = nullptr;
}

void Calls::forget_what_follows(const Twin& gone) {
  for (Following& after : following_) {
    if (after.twin == &gone) {
      after.signature.reset();
      after.request = nullptr;
      after.twin = nullptr;
    }
    if (after.created_on == &gone) after.created_on = nullptr;
  }
  if (last_twin_ != &gone) return;
  last_twin_ = nullptr;
  last_stream_ = nullptr;
}

void Calls::account(Locked& locked, Twin& twin, Series& series, std::uint32_t entry,
                    std::int64_t arrival_ns, std::int64_t exit_ns, std::string_view algorithm,
                    Tell tell) {
  RegionState* region = regions_.phase_before(locked, arrival_ns, exit_ns);
  record(twin, entry, series, region, arrival_ns, exit_ns, algorithm);
  Stream* stream = twin.by_id(series.id);
  if (stream == nullptr) return;
  learn_what_followed(locked, twin, *stream, region, arrival_ns, tell);
  last_stream_ = stream;
  last_twin_ = &twin;
}

// ---------------------------------------------------------------- the journal

/// The number of the communicator's next call, which is the same on all its processes.
std::uint32_t Calls::next_entry(Twin& twin) {
  if (journal_ == nullptr) return twin.calls++;
  if (!twin.journal_line)
    twin.journal_line = journal_->line("communicator " + std::to_string(twin.id()),
                                       twin.session_ranks(), Journal::Of::all);
  return journal_->next(*twin.journal_line);
}

/// Times on the session's clock.
void Calls::record(Twin& twin, std::uint32_t number, Series& series, const RegionState* region,
                   std::int64_t arrival_ns, std::int64_t exit_ns, std::string_view algorithm) {
  if (config_.live)
    recent_.add({twin.id(), number, series.id, series.signature, std::string(algorithm),
                 arrival_ns + regions_.clock_offset(), exit_ns + regions_.clock_offset()});
  if (journal_ == nullptr) return;
  const std::int64_t arrival = arrival_ns + regions_.clock_offset();
  Journal::Entry entry{arrival, arrival, 0.0, {}};
  if (region != nullptr)
    entry = {region->record.start_ns + regions_.clock_offset(), arrival,
             region->record.computing_s(), region->last_hints};
  entry.left_ns = exit_ns + regions_.clock_offset();
  entry.algorithm = algorithm;
  if (!series.journal_place || series.after != region) {  // a region's name never changes
    series.journal_place = journal_->place(place_of(series, region));
    series.after = region;
  }
  journal_->add(*twin.journal_line, number, *series.journal_place, entry);
}

void Calls::record_phase(Locked& locked, RegionState& region) {
  ArrivalRecord& phase = region.record;
  if (journal_ == nullptr || phase.end_ns == 0 || phase.exit_ns != 0) return;
  phase.exit_ns = phase.end_ns;
  const Twin* twin = created_on(locked, region);
  std::vector<int> ranks = twins_.session_ranks();
  if (twin != nullptr) ranks = twin->session_ranks();
  const std::uint32_t line = journal_->line(
      "region " + region.name + " on " + (twin != nullptr ? std::to_string(twin->id()) : "all"),
      ranks, Journal::Of::some);
  const std::int64_t offset = regions_.clock_offset();
  journal_->add(
      line, journal_->next(line), journal_->place("no call of PAT's, after region " + region.name),
      {phase.start_ns + offset, phase.end_ns + offset, phase.computing_s(), region.last_hints});
}

// ---------------------------------------------------------------- what is expected

void Calls::learn_what_followed(Locked& locked, Twin& twin, Stream& stream, RegionState* region,
                                std::int64_t arrival_ns, Tell tell) {
  stream.region = region;
  if (region != nullptr) {
    Following& after = following(*region);
    after.signature = stream.signature;
    after.request = stream.signature.form == Form::persistent ? &stream : nullptr;
    after.twin = &twin;
    return;
  }
  if (!stream.gaps) stream.gaps.emplace(make_predictor(config_.predictor));
  if (stream.last_exit_ns == 0) return;
  const double gap_s = seconds(arrival_ns - stream.last_exit_ns);
  stream.gaps->note_end(gap_s, gap_s, {}, {});
  if (tell == Tell::others) negotiation_.tell_if_moved(locked, twin, stream, gap_s);
}

void Calls::look_back(Locked& locked, const RegionState& region) {
  Stream* stream = expected_stream(region);
  if (stream != nullptr && stream->region == &region && region.record.end_ns != 0)
    negotiation_.tell_if_moved(locked, *following(region).twin, *stream,
                               seconds(region.record.end_ns - region.record.start_ns));
}

std::optional<std::uint32_t> Calls::age_of_pattern(Locked&, const RegionState& region) const {
  const Stream* stream = expected_stream(region);
  if (region.pattern.epoch == 0 || stream == nullptr || stream->id != region.pattern_stream)
    return std::nullopt;
  return stream->next_call > region.pattern_call ? stream->next_call - region.pattern_call : 0;
}

void Calls::expect_next_call(Locked& locked, Twin& twin, Stream& stream, std::int64_t arrival_ns,
                             std::int64_t exit_ns) {
  stream.last_exit_ns = exit_ns;
  if (stream.signature.form == Form::plain) {  // what else a request waits for is not known
    if (stream.past_arrival_ns != 0 && stream.past_call + 2 == stream.next_call)
      stream.interval_s.add(seconds(arrival_ns - stream.past_arrival_ns));
    stream.past_call = stream.next_call - 1;
    stream.past_arrival_ns = arrival_ns;
    stream.past_exit_ns = exit_ns;
  }
  if (stream.region == nullptr && circumstances_.daemon)
    negotiation_.report_gap(locked, twin, stream, exit_ns);
}

/// The calls of a lease that is the library's, but for the last: before the lease ends the process
/// must come by, and the leader earlier, for those who run ahead.
std::uint32_t Calls::settled_until(const Twin& twin, const Stream& stream) const {
  const auto decision = stream.decision_for(stream.next_call);
  if (!twin.may_block || decision == nullptr || decision->live || !is_library(decision->chosen()))
    return 0;
  if (stream.looks_out) return 0;
  const std::uint32_t last = twin.rank() == stream.leader_rank ? 2 : 1;
  const std::uint32_t end = decision->first + decision->count - std::min(decision->count, last);
  const std::uint32_t in_a_row =
      negotiation_.recalls() ? events_in_a_row(stream.interval_s.value()) : most_events_of_calls;
  return std::min(end, stream.next_call + in_a_row);
}

void Calls::leave(Locked& locked, Call& call, std::int64_t exit_ns) {
  Twin& twin = *call.twin;
  take_events_until(locked, call.arrival_ns);
  account(locked, twin, *call.series, next_entry(twin), call.arrival_ns, exit_ns,
          call.decision ? std::string_view(call.decision->chosen().name) : "mpi");
  call.series->tally.in_call_s += seconds(exit_ns - call.arrival_ns);
  if (call.stream == nullptr) {
    Settled& settled = call.series->settled;
    settled.begin();
    settled.until.store(twin.may_block ? settled.calls.load() + most_events_of_calls : 0);
    return;
  }
  Stream& stream = *call.stream;
  expect_next_call(locked, twin, stream, call.arrival_ns, exit_ns);
  if (negotiation_.recalls()) negotiation_.poll(locked);  // whoever comes by hears of it
  stream.settled.until.store(settled_until(twin, stream));
  if (Negotiation::is_settled(&stream) && Negotiation::leads_far_enough(twin, stream)) {
    if (forecasts_wanted()) forecasts_wanted_ = !all_is_settled(locked);
    return;
  }
  forecasts_wanted_ = true;
  if (resting()) rise();
}

void Calls::count(Locked& locked, Call& call, std::int64_t arrival_ns) {
  call.arrival_ns = arrival_ns;
  const std::int64_t exit_ns = now_ns();
  place(locked, call);
  ++call.series->tally.calls_by_algorithm["mpi"];
  leave(locked, call, exit_ns);
}

}  // namespace pat::detail
