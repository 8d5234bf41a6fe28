#include "libpat/report/live_answer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include "collectives/call_name.hpp"
#include "collectives/operation_row.hpp"
#include "libpat/report/site.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/snapshot.hpp"
#include "libpat/session/twin_tally.hpp"
#include "libpat/session/waits_in.hpp"

namespace pat::detail {
namespace {

constexpr std::size_t most_decided = 8, most_foretold = 1;

std::string what(const CallSignature& made) {
  CallName called{made.operation, made.root, std::nullopt};
  if (!made.varying) called.block_bytes = made.block_bytes;
  return text_of(called);
}

/// The program's own thread says at once that a phase lasts; its edges wait in the event queue
/// until the background, or the next call, has taken them in. Until then the forecast is that of
/// the region's next phase.
LiveState::Phase phase_of(const RegionState& region, std::int64_t started_ns,
                          std::int64_t offset_ns) {
  LiveState::Phase phase;
  phase.region =
      region.site != nullptr ? name_of_site(region.site_function, region.site, true) : region.name;
  phase.paused = region.phase == RegionState::Phase::paused;
  phase.start_ns = started_ns + offset_ns;
  phase.thread = region.thread;
  phase.before = region.iteration;
  if (region.is_computing() && region.record.iteration == region.iteration)
    phase.fraction = region.fraction();
  const Forecast forecast = region.until_arrival();
  if (!forecast.known) return phase;
  phase.lasts_s = forecast.mean_s;
  phase.half_width_s = forecast.half_width_s();
  phase.longest_s = region.model->longest_s() + region.expected_pause_s();
  return phase;
}

/// `foretold_now`: the models are asked, in place of taking what they said when a decision last
/// wanted to know.
std::optional<LiveState::Phase> present_phase(Locked& locked, const Regions& regions,
                                              bool foretold_now) {
  std::optional<LiveState::Phase> latest;
  for (RegionState* region : regions.all(locked)) {
    const std::int64_t started_ns = region->started_ns;
    if (started_ns == 0 || !region->model) continue;
    if (foretold_now) region->foretell();
    LiveState::Phase phase = phase_of(*region, started_ns, regions.clock_offset());
    if (!latest || phase.start_ns.value_or(0) > latest->start_ns.value_or(0))
      latest = std::move(phase);
  }
  return latest;
}

/// The time since the latest call, of programs that have no regions or are in none; foretold where
/// calls of PAT's have followed each other.
std::optional<LiveState::Phase> present_gap(Locked& locked, Session& session) {
  const auto left = session.watchdog()->left();
  LiveState::Phase gap;
  if (left) gap.thread = left->thread;
  const Stream* stream = session.following.latest(locked).stream;
  if (stream == nullptr || stream->region != nullptr || !stream->gaps || !stream->follows_itself ||
      stream->last_exit_ns == 0) {
    if (!left) return std::nullopt;
    gap.start_ns = left->exit_ns + session.regions.clock_offset();
    return gap;
  }
  gap.start_ns = stream->last_exit_ns + session.regions.clock_offset();
  const Forecast& forecast = stream->gaps->last();
  if (!forecast.known) return gap;
  gap.lasts_s = forecast.mean_s;
  gap.half_width_s = forecast.half_width_s();
  gap.longest_s = stream->gaps->longest_s();
  return gap;
}

/// "MPI_SUM"; empty: one of the program's own, or PAT's.
std::string name_of(MPI_Op op) {
  static const std::array<std::pair<MPI_Op, const char*>, 12> names{{{MPI_MAX, "MPI_MAX"},
                                                                     {MPI_MIN, "MPI_MIN"},
                                                                     {MPI_SUM, "MPI_SUM"},
                                                                     {MPI_PROD, "MPI_PROD"},
                                                                     {MPI_LAND, "MPI_LAND"},
                                                                     {MPI_BAND, "MPI_BAND"},
                                                                     {MPI_LOR, "MPI_LOR"},
                                                                     {MPI_BOR, "MPI_BOR"},
                                                                     {MPI_LXOR, "MPI_LXOR"},
                                                                     {MPI_BXOR, "MPI_BXOR"},
                                                                     {MPI_MINLOC, "MPI_MINLOC"},
                                                                     {MPI_MAXLOC, "MPI_MAXLOC"}}};
  const auto found = std::ranges::find(names, op, &std::pair<MPI_Op, const char*>::first);
  return found != names.end() ? found->second : "";
}

/// What all ranks of the call must say alike.
std::string what(CallSignature made, MPI_Op op) {
  const OperationRow& about = row(made.operation);
  if (about.among_neighbours()) made.varying = true;  // who is no neighbour may have another size
  const std::string name = about.combines ? name_of(op) : "";
  return what(made) + (name.empty() ? "" : ", " + name);
}

/// The same of a call of the series; empty where it holds calls of all kinds.
std::string what(const Series& series, MPI_Op op) {
  return series.of_any_kind ? "" : what(series.signature, op);
}

std::optional<LiveState::Present> present_call(Locked& locked, Session& session) {
  const auto present = session.watchdog()->present();
  if (!present) return std::nullopt;
  LiveState::Present call{present->function, present->since_ns + session.regions.clock_offset()};
  call.site = session.watchdog()->name_of(present->site);
  if (present->signature) call.what = what(*present->signature, present->op);
  if (!present->communicator) return call;
  const auto& twins = session.twins.all(locked);
  const auto twin = twins.find(*present->communicator);
  if (twin == twins.end()) return call;
  if (twin->second->size() < session.size()) call.ranks = twin->second->session_ranks();
  if (present->number)
    call.place = {*present->communicator, group_of(*twin->second), *present->number};
  if (const Series* series = present->series ? twin->second->series(*present->series) : nullptr)
    call.what = what(*series, present->op);
  return call;
}

std::optional<LiveState::Left> left_call(Session& session) {
  const auto left = session.watchdog()->left();
  if (!left) return std::nullopt;
  return LiveState::Left{left->function, session.watchdog()->name_of(left->site),
                         left->exit_ns + session.regions.clock_offset()};
}

/// The thread whose phase is told, or that made the latest call.
void note_wait(LiveState& state, Session& session) {
  std::int32_t thread = state.phase ? state.phase->thread : 0;
  if (const auto left = session.watchdog()->left(); thread == 0 && left) thread = left->thread;
  const WaitsIn::Wait wait = thread != 0 ? WaitsIn::of(thread) : WaitsIn::Wait();
  if (wait.function == nullptr) return;
  state.waits_in = wait.function;
  if (wait.since_ns != 0) state.waits_since_ns = wait.since_ns + session.regions.clock_offset();
}

std::vector<LiveState::Place> entered(Locked& locked, Session& session) {
  std::vector<LiveState::Place> all;
  for (const auto& [id, twin] : session.twins.all(locked))
    if (const std::uint32_t number = twin->entered) all.push_back({id, group_of(*twin), number});
  return all;
}

/// Those on communicators that are in use.
std::vector<LiveState::Made> made_calls(Locked& locked, Session& session) {
  std::vector<LiveState::Made> all;
  std::map<const void*, std::string> sites;  // few, and it takes long to find where one is
  const auto& twins = session.twins.all(locked);
  for (const Watchdog::Made& calls : session.watchdog()->made()) {
    const auto twin = twins.find(calls.communicator);
    if (twin == twins.end()) continue;
    const auto [site, is_new] = sites.try_emplace(calls.site);
    if (is_new) site->second = session.watchdog()->name_of(calls.site);
    LiveState::Made one{{calls.communicator, group_of(*twin->second), calls.first},
                        calls.last,
                        calls.function,
                        "",
                        site->second};
    const Series* series = calls.series ? twin->second->series(*calls.series) : nullptr;
    if (calls.signature)
      one.what = what(*calls.signature, calls.op);
    else if (series != nullptr)
      one.what = what(*series, calls.op);
    all.push_back(std::move(one));
  }
  return all;
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
  one.reason = series.left_because;
  one.algorithm = one.reason.empty() ? latest_algorithm(recent, twin, series) : "mpi";
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
  state.phase = present_phase(locked, session.regions, session.config.watchdog_auto);
  if (!state.phase) state.phase = present_gap(locked, session);
  state.present = present_call(locked, session);
  note_wait(state, session);
  state.left = left_call(session);
  state.entered = entered(locked, session);
  state.made = made_calls(locked, session);
  state.past = past_calls(locked, session);
  state.decided = decisions(locked, session);
  state.foretold = forecasts(locked, session);
  return state;
}

}  // namespace pat::detail
