#include "libpat/agreement/region.hpp"

#include "core/seconds.hpp"

namespace pat::detail {

void RegionState::begin(const std::string& predictor) {
  use(predictor);
  want_forecast(false);
  site = nullptr;
  ++totals.regions;
}

void RegionState::use(const std::string& predictor) {
  model.emplace(make_predictor(predictor));
  forecast = {};
  foretold_ = false;
}

bool RegionState::take(const ProgressEvent& event) {
  if (!model) return false;
  switch (event.kind) {
    case ProgressEvent::Kind::start:
      edges_before = record.edges;
      record = {};
      record.iteration = event.progress.iteration;
      record.start_ns = event.time_ns;
      paused_since_ns_ = 0;
      edge_.reset();
      edges_.clear();
      return true;
    case ProgressEvent::Kind::edge:
      return take_edge(event);
    case ProgressEvent::Kind::pause:
      if (is_of_present_phase(event)) paused_since_ns_ = event.time_ns;
      return false;
    case ProgressEvent::Kind::resume:
      return take_resume(event);
    case ProgressEvent::Kind::end:
      if (is_of_present_phase(event)) take_end(event);
      return false;
    case ProgressEvent::Kind::leave:
      if (is_of_present_phase(event)) record = {};
      return false;
    case ProgressEvent::Kind::call:
      return false;  // no region's
  }
  return false;
}

bool RegionState::is_of_present_phase(const ProgressEvent& event) const {
  return is_computing() && event.progress.iteration == record.iteration;
}

bool RegionState::take_edge(const ProgressEvent& event) {
  if (!is_of_present_phase(event) || paused_since_ns_ != 0) return false;
  ++record.edges;
  ++totals.edges;
  edge_ = {event.progress.fraction, seconds(event.time_ns - record.start_ns - record.paused_ns)};
  edges_.add(edge_->fraction, edge_->elapsed_s);
  return true;
}

bool RegionState::take_resume(const ProgressEvent& event) {
  if (!is_of_present_phase(event)) return false;
  const double expected_s = expected_pause_s();
  end_pause(event.time_ns);
  return expected_pause_s() > expected_s;
}

void RegionState::take_end(const ProgressEvent& event) {
  end_pause(event.time_ns);
  record.end_ns = event.time_ns;
  ended_by = event.thread;
  if (std::exchange(foretold_, false)) totals.errors.add(record.computing_s() - forecast.mean_s);
  ++totals.phases;
  totals.computing_s += record.computing_s();
  totals.paused_s += seconds(record.paused_ns);
  pauses_s.add(seconds(record.paused_ns));
  model->note_end(record.computing_s(), seconds(record.end_ns - record.start_ns), hints, edge_);
  edge_.reset();
  last_hints.swap(hints);
  hints.clear();
  last_edges = edges_;
}

void RegionState::end_pause(std::int64_t now_ns) {
  if (paused_since_ns_ != 0) record.paused_ns += now_ns - paused_since_ns_;
  paused_since_ns_ = 0;
}

double RegionState::expected_pause_s() const {
  const std::int64_t paused_ns = is_computing() ? record.paused_ns + untold_pauses_ns.load() : 0;
  return std::max(pauses_s.value(), seconds(paused_ns));
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
  started_ns = 0;
  thread = 0;
  untold_since_ns = untold_pauses_ns = 0;
  model.reset();
  forecast = {};
  edge_.reset();
  foretold_ = false;
  hints = {};
  last_hints = {};
  last_edges = {};
  record = {};
  edges_before = 0;
  pauses_s = {};
  paused_since_ns_ = 0;
  pattern = {};
}

void RegionState::rename(const std::string& new_name) {
  const std::lock_guard lock(name_mutex_);
  name = new_name;
  named_since_ = generation;
}

std::string RegionState::name_of(std::uint32_t which) const {
  const std::lock_guard lock(name_mutex_);
  return which >= named_since_ ? name : "";
}

void RegionState::forget_totals() {
  totals = {};
  instructions = cycles = 0;
}

void RegionState::foretell() {
  note_forecast(model->foretell(hints, edge_));
}

void RegionState::foretell_from_all() {
  note_forecast(model->foretell_from_all(hints, edge_));
}

void RegionState::note_forecast(const Forecast& made) {
  forecast = made;
  foretold_ = made.known;
}

}  // namespace pat::detail
