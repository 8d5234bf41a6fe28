#include "libpat/agreement/region.hpp"

namespace pat::detail {

bool RegionState::take(const ProgressEvent& event) {
  switch (event.kind) {
    case ProgressEvent::Kind::start:
      learn();
      edges_before = record.edges.size();
      record = {};
      record.iteration = event.progress.iteration;
      record.start_ns = event.time_ns;
      break;
    case ProgressEvent::Kind::edge:
      if (!is_computing() || event.progress.iteration != record.iteration) return false;
      record.edges.emplace_back(event.progress.fraction, event.time_ns);
      model->observe_edge(event.progress.fraction,
                          static_cast<double>(event.time_ns - record.start_ns) * 1e-9);
      break;
    case ProgressEvent::Kind::end:
      if (!is_computing() || event.progress.iteration != record.iteration) return false;
      record.end_ns = event.time_ns;
      if (forecast.known) errors.add(record.computing_s() - forecast.mean_s);
      ++phases;
      computing_s += record.computing_s();
      unlearnt = {record.computing_s(), hints};
      last_hints.swap(hints);
      hints.clear();
      return false;
    case ProgressEvent::Kind::call:
      return false;  // no region's
  }
  forecast = model->forecast();
  return true;
}

void RegionState::free() {
  alive = false;
  model.reset();
  unlearnt.reset();
  hints.clear();
  last_hints.clear();
  record = {};
  pattern = {};
}

void RegionState::learn() {
  if (!unlearnt) return;
  model->observe(*unlearnt);
  unlearnt.reset();
  forecast = model->forecast();
}

}  // namespace pat::detail
