#include "libpat/session/snapshot.hpp"

#include "collectives/call_name.hpp"
#include "libpat/session/session.hpp"

namespace pat::detail {
namespace {

/// What was called, after which region.
std::string place_of(const Twin::Record& call) {
  std::string place = "a call without a decision";
  if (call.stream != nullptr) {
    const CallSignature& made = call.stream->signature;
    CallName called{made.operation, made.root, std::nullopt};
    if (!made.varying) called.block_bytes = made.block_bytes;
    place = text_of(called);
    if (made.form == Form::persistent) place += ", persistent";
    if (made.form == Form::nonblocking) place += ", non-blocking";
  }
  return call.region != nullptr ? place + ", after region " + call.region->name : place;
}

Snapshot::Region describe(const RegionState& region) {
  return {.name = region.name,
          .phases = region.phases,
          .computing_s = region.computing_s,
          .forecast_mean_absolute_error_s = region.errors.mean_absolute_s(),
          .forecasts = region.errors.count,
          .instructions = region.instructions.load(),
          .cycles = region.cycles.load()};
}

std::vector<Snapshot::Record> describe(const std::vector<Twin::Record>& calls) {
  std::vector<Snapshot::Record> records;
  for (const Twin::Record& call : calls)
    records.push_back({.start_ns = call.start_ns,
                       .arrival_ns = call.arrival_ns,
                       .computing_s = call.computing_s,
                       .place = place_of(call),
                       .hints = call.hints});
  return records;
}

}  // namespace

Snapshot take_snapshot(Session& session) {
  Locked locked = session.lock();
  session.calls.take_events(locked);
  Snapshot now;
  now.config = session.config;
  now.comm = session.negotiation.communicator();
  now.rank = session.rank();
  now.size = session.size();
  now.records = session.calls.records();
  now.daemon = session.has_daemon();
  now.wall_s = static_cast<double>(now_ns() - session.begin_ns) * 1e-9;
  if (const Background* background = session.background()) {
    now.daemon_cpu_s = background->cpu_s();
    now.daemon_moving_cpu_s = background->moving_cpu_s();
  }
  now.control_messages = session.negotiation.messages_sent(locked);
  now.control_bytes = session.negotiation.bytes_sent(locked);
  now.dropped_events = session.regions.dropped_events.load();
  now.static_calls = session.calls.static_calls(locked);
  for (const auto& region : session.regions.all(locked)) now.regions.push_back(describe(*region));
  for (const auto& [id, twin] : session.twins.all(locked))
    for (const auto& stream : twin->streams())
      now.streams.push_back(
          {id, stream->id, tally_key(*twin, *stream), final_tally(*twin, *stream)});
  for (const auto& [key, tally] : session.twins.departed_tallies(locked))
    now.streams.push_back({std::nullopt, std::nullopt, key, tally});
  if (const Twin* own = session.calls.created_on(locked, session.regions.default_region()))
    now.calls = describe(own->records);
  return now;
}

}  // namespace pat::detail
