#include "libpat/report/live_answer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include "collectives/call_name.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/snapshot.hpp"
#include "libpat/session/twin_tally.hpp"

namespace pat::detail {
namespace {

constexpr std::size_t most_decided = 8, most_foretold = 1;

std::string what(const CallSignature& made) {
  CallName called{made.operation, made.root, std::nullopt};
  if (!made.varying) called.block_bytes = made.block_bytes;
  return text_of(called);
}

/// The program's own thread says at once that a phase lasts; what else is known of it waits in the
/// event queue until the background, or the next call, has taken it in.
LiveState::Phase phase_of(const RegionState& region, std::int64_t offset_ns) {
  LiveState::Phase phase;
  phase.region = region.name;
  phase.paused = region.phase == RegionState::Phase::paused;
  const ArrivalRecord& record = region.record;
  if (!region.is_computing() || record.iteration != region.iteration) return phase;
  phase.start_ns = record.start_ns + offset_ns;
  phase.fraction = region.fraction();
  const Forecast forecast = region.until_arrival();
  if (!forecast.known) return phase;
  phase.lasts_s = forecast.mean_s;
  phase.half_width_s = forecast.half_width_s();
  return phase;
}

std::optional<LiveState::Phase> present_phase(Locked& locked, const Regions& regions) {
  std::optional<LiveState::Phase> latest;
  for (const RegionState* region : regions.all(locked)) {
    if (region->phase == RegionState::Phase::none) continue;
    LiveState::Phase phase = phase_of(*region, regions.clock_offset());
    if (!latest || phase.start_ns.value_or(0) > latest->start_ns.value_or(0))
      latest = std::move(phase);
  }
  return latest;
}

/// Those on communicators that are in use.
std::vector<LiveState::Past> past_calls(Locked& locked, Session& session) {
  std::vector<LiveState::Past> past;
  const auto& twins = session.twins.all(locked);
  for (const RecentCalls::One& call : session.records.recent(locked).all())
    if (const auto twin = twins.find(call.communicator); twin != twins.end())
      past.push_back({call.communicator, group_of(*twin->second), call.number, what(call.signature),
                      call.algorithm, call.arrival_ns, call.exit_ns});
  return past;
}

/// What the latest of the series' calls was done with, as far as calls are remembered.
std::string latest_algorithm(const RecentCalls& recent, const Twin& twin, const Series& series) {
  for (const RecentCalls::One& call : recent.all() | std::views::reverse)
    if (call.communicator == twin.id() && call.series == series.id) return call.algorithm;
  return "";
}

/// Of a series that this process leads.
LiveState::Decided decided(const RecentCalls& recent, const Twin& twin, const Series& series) {
  LiveState::Decided one;
  one.what = what(series.signature);
  one.calls = series.tally.calls();
  one.algorithm = latest_algorithm(recent, twin, series);
  one.reason = series.left_because;
  const Stream* stream = twin.by_id(series.id);
  if (stream == nullptr || stream->next_call == 0) return one;
  one.exit_ns = stream->last_exit_ns;
  one.reason = series.tally.reasons.latest();
  if (const auto decision = stream->decision_for(stream->next_call))
    one.algorithm = decision->chosen().name;
  return one;
}

std::vector<LiveState::Decided> decisions(Locked& locked, Session& session) {
  std::vector<LiveState::Decided> all;
  for (const auto& [id, twin] : session.twins.all(locked))
    for (const Series* series : twin->all_series())
      if (twin->rank() == series->leader_rank && series->tally.calls() > 0)
        all.push_back(decided(session.records.recent(locked), *twin, *series));
  std::ranges::stable_sort(all, std::greater{}, &LiveState::Decided::exit_ns);
  if (all.size() > most_decided) all.resize(most_decided);
  for (LiveState::Decided& one : all)
    if (one.exit_ns != 0) one.exit_ns += session.regions.clock_offset();
  return all;
}

LiveState::Foretold foretold(const Twin& twin, const Stream& stream) {
  const ArrivalPattern pattern = stream.leader->pattern(stream.next_call);
  LiveState::Foretold one{what(stream.signature), twin.session_ranks(), pattern.offset_s, {}};
  for (const double width : pattern.half_width_s)
    one.half_width_s.push_back(std::isfinite(width) ? std::optional(width) : std::nullopt);
  return one;
}

/// Of the calls that came last of those which this process leads.
std::vector<LiveState::Foretold> forecasts(Locked& locked, Session& session) {
  std::vector<std::pair<std::int64_t, LiveState::Foretold>> all;
  for (const auto& [id, twin] : session.twins.all(locked))
    for (const auto& stream : twin->streams())
      if (stream->leader && twin->rank() == stream->leader_rank && stream->next_call > 0)
        all.emplace_back(stream->last_exit_ns, foretold(*twin, *stream));
  std::ranges::stable_sort(all, std::greater{}, [](const auto& one) { return one.first; });
  std::vector<LiveState::Foretold> latest;
  for (auto& one : all | std::views::take(most_foretold)) latest.push_back(std::move(one.second));
  return latest;
}

}  // namespace

LiveState live_state(Locked& locked, Session& session) {
  LiveState state;
  const Snapshot now = take_snapshot(locked, session);
  state.rank = now.rank;
  state.ranks = now.size;
  state.wall_s = now.wall_s;
  for (const Snapshot::Stream& stream : now.streams) {
    state.calls += stream.tally.calls();
    state.in_call_s += stream.tally.in_call_s;
  }
  state.now_ns = session.regions.synchronised_now();
  state.phase = present_phase(locked, session.regions);
  if (const auto present = session.watchdog()->present())
    state.present = {present->function, present->since_ns + session.regions.clock_offset()};
  state.past = past_calls(locked, session);
  state.decided = decisions(locked, session);
  state.foretold = forecasts(locked, session);
  return state;
}

}  // namespace pat::detail
