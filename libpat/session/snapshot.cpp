#include "libpat/session/snapshot.hpp"

#include "libpat/agreement/choice.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/twin_tally.hpp"

namespace pat::detail {
namespace {

void add_streams(Snapshot& now, const Twin& twin) {
  for (const Series* series : twin.all_series()) {
    now.streams.push_back(
        {twin.id(), series->id, tally_key(twin, *series), final_tally(twin, *series)});
    if (!series->left_because.empty()) now.static_calls += now.streams.back().tally.calls();
  }
}

/// What this process saw as root of stars, and at rank 0 what PAT_Init saw.
std::vector<int> slow_links_of(const Session& session, std::set<int> seen) {
  const std::vector<double>& found = session.calibration.link_slowdown;
  for (std::size_t rank = 0; session.rank() == 0 && rank < found.size(); ++rank)
    if (found[rank] >= Problem::slow_link) seen.insert(static_cast<int>(rank));
  return {seen.begin(), seen.end()};
}

}  // namespace

Snapshot take_snapshot(Session& session) {
  return session.under_lock([&](Locked& locked) {
    session.following.take_events(locked);
    return take_snapshot(locked, session);
  });
}

Snapshot take_snapshot(Locked& locked, Session& session) {
  Snapshot now;
  now.config = session.config;
  now.rank = session.rank();
  now.size = session.size();
  now.mpi = session.mpi;
  now.thread_multiple = session.thread_multiple;
  now.daemon = session.has_daemon();
  now.network = usual_cost(now.config, session.calibration);
  now.wall_s = static_cast<double>(now_ns() - session.begin_ns) * 1e-9;
  if (const Background* background = session.background()) {
    now.daemon_cpu_s = background->cpu_s();
    now.daemon_moving_cpu_s = background->moving_cpu_s();
  }
  now.control_messages = session.negotiation.messages_sent(locked);
  now.control_bytes = session.negotiation.bytes_sent(locked);
  now.dropped_events = session.regions.dropped_events.load();
  now.unmeasured_calls = session.calls.unmeasured();
  now.regions = session.regions.sums(locked).all();
  now.mistakes = session.regions.mistakes();
  now.passed_on = PassedOn::all();
  now.slow_links = slow_links_of(session, session.calls.slow_links(locked));
  for (const auto& [id, twin] : session.twins.all(locked)) add_streams(now, *twin);
  for (const auto& [key, tally] : session.twins.departed_tallies(locked)) {
    now.streams.push_back({std::nullopt, std::nullopt, key, tally});
    if (key.left_to_library) now.static_calls += tally.calls();
  }
  return now;
}

}  // namespace pat::detail
