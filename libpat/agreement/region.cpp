#include "libpat/agreement/region.hpp"

#include "core/seconds.hpp"

namespace pat::detail {

void RegionState::begin(const std::string& predictor) {
  model = make_predictor(predictor);
  ++totals.regions;
}

bool RegionState::take(const ProgressEvent& event) {
  if (model == nullptr) return false;
  switch (event.kind) {
    case ProgressEvent::Kind::start:
      learn();
      edges_before = record.edges.size();
      record = {};
      record.iteration = event.progress.iteration;
      record.start_ns = event.time_ns;
      paused_since_ns_ = 0;
      break;
    case ProgressEvent::Kind::edge:
      if (!take_edge(event)) return false;
      break;
    case ProgressEvent::Kind::pause:
      if (is_of_present_phase(event)) paused_since_ns_ = event.time_ns;
      return false;
    case ProgressEvent::Kind::resume:
      return take_resume(event);
    case ProgressEvent::Kind::end:
      if (is_of_present_phase(event)) take_end(event);
      return false;
    case ProgressEvent::Kind::call:
      return false;  // no region's
  }
  forecast = model->forecast();
  return true;
}

bool RegionState::is_of_present_phase(const ProgressEvent& event) const {
  return is_computing() && event.progress.iteration == record.iteration;
}

bool RegionState::take_edge(const ProgressEvent& event) {
  if (!is_of_present_phase(event) || paused_since_ns_ != 0) return false;
  record.edges.emplace_back(event.progress.fraction, event.time_ns);
  model->observe_edge(event.progress.fraction,
                      seconds(event.time_ns - record.start_ns - record.paused_ns));
  return true;
}

bool RegionState::take_resume(const ProgressEvent& event) {
  if (!is_of_present_phase(event)) return false;
  const double expected_s = expected_pause_s();
  end_pause(event.time_ns);
  return forecast.known && expected_pause_s() > expected_s;
}

void RegionState::take_end(const ProgressEvent& event) {
  end_pause(event.time_ns);
  record.end_ns = event.time_ns;
  if (forecast.known) totals.errors.add(record.computing_s() - forecast.mean_s);
  ++totals.phases;
  totals.computing_s += record.computing_s();
  totals.paused_s += seconds(record.paused_ns);
  pauses_s.add(seconds(record.paused_ns));
  unlearnt = {record.computing_s(), hints};
  last_hints.swap(hints);
  hints.clear();
}

void RegionState::end_pause(std::int64_t now_ns) {
  if (paused_since_ns_ != 0) record.paused_ns += now_ns - paused_since_ns_;
  paused_since_ns_ = 0;
}

double RegionState::expected_pause_s() const {
  return std::max(pauses_s.value(), is_computing() ? seconds(record.paused_ns) : 0.0);
}

Forecast RegionState::until_arrival() const {
  Forecast arrival = forecast;
  if (!arrival.known) return arrival;
  const double pause_s = expected_pause_s();
  arrival.mean_s += pause_s;
  arrival.lower_s += pause_s;
  arrival.upper_s += pause_s;
  return arrival;
}

void RegionState::free() {
  ++generation;
  phase = Phase::none;
  model.reset();
  forecast = {};
  unlearnt.reset();
  hints = {};
  last_hints = {};
  record = {};
  edges_before = 0;
  pauses_s = {};
  paused_since_ns_ = 0;
  pattern = {};
}

void RegionState::forget_totals() {
  totals = {};
  instructions = cycles = 0;
}

void RegionState::learn() {
  if (!unlearnt) return;
  model->observe(*unlearnt);
  unlearnt.reset();
  forecast = model->forecast();
}

}  // namespace pat::detail
