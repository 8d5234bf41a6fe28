#include "measure/phase.hpp"

#include <algorithm>

#include "measure/must.hpp"
#include "measure/stop.hpp"

namespace pat::measure {

RegionGuard::RegionGuard(MPI_Comm comm, const std::string& name) {
  must(PAT_Region_create(comm, name.c_str(), &region_), "PAT_Region_create");
}

RegionGuard::~RegionGuard() {
  PAT_Region_free(&region_);
}

double run_phase(const Phase& phase, double begin_s, const GlobalClock& clock, MPI_Comm comm) {
  const auto pass_until = [&](double until_s) {
    if (!phase.busy) return clock.sleep_until(until_s, StopSignals::asked);
    while (clock.now_s() < until_s && !StopSignals::asked()) {
    }
  };
  const PAT_Region region = phase.region ? phase.region->get() : nullptr;
  const auto tell = [&](double fraction) {
    if (phase.region && fraction > 0.0 && fraction < 1.0)
      must_or_abort(PAT_Region_edge(region, fraction), "PAT_Region_edge", comm);
  };
  struct Event {
    double at_s;
    std::function<void()> happen;
  };
  std::vector<Event> events;
  if (phase.region && phase.told_s)
    events.push_back({std::min(phase.told_after_s, 0.1 * phase.planned_s),
                      [&] { tell((clock.now_s() - begin_s) / *phase.told_s); }});
  else
    for (const double edge : phase.edges)
      events.push_back({edge * phase.planned_s, [&, edge] { tell(edge); }});
  for (int part = 0; part + 1 < phase.parts; ++part)
    events.push_back(
        {phase.planned_s * (part + 1) / phase.parts, [&, part] { phase.finished(part); }});
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.at_s < b.at_s; });

  if (phase.region) must_or_abort(PAT_Region_start(region), "PAT_Region_start", comm);
  for (const Event& event : events) {
    pass_until(begin_s + event.at_s);
    event.happen();
  }
  const double end_s = begin_s + phase.planned_s;
  double forecast_s = -1.0;
  if (phase.region) {
    pass_until(0.5 * (clock.now_s() + end_s));
    if (PAT_GetForecast(region, &forecast_s, nullptr, nullptr) != MPI_SUCCESS) forecast_s = -1.0;
  }
  pass_until(end_s);
  if (phase.region) must_or_abort(PAT_Region_end(region), "PAT_Region_end", comm);
  return forecast_s;
}

}  // namespace pat::measure
