#include "libpat/session/regions.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace pat::detail {
namespace {

[[noreturn]] void refuse(ErrorKind kind, const char* call, const std::string& what) {
  throw Error(kind, std::string(call) + " " + what);
}

[[noreturn]] void refuse_outside(const RegionState& region, const char* call) {
  refuse(ErrorKind::order, call,
         "was called outside a computing phase of region '" + region.name + "', start one first");
}

void refuse_inside(const RegionState& region, const char* call) {
  if (region.computing)
    refuse(ErrorKind::order, call,
           "was called inside a computing phase of region '" + region.name + "', end it first");
}

ProgressEvent event_of(const RegionState& region, std::int64_t time_ns, double fraction,
                       std::uint32_t iteration, ProgressEvent::Kind kind) {
  return {time_ns, {{static_cast<float>(fraction), iteration, region.id}}, kind};
}

}  // namespace

Regions::Regions(std::string predictor, std::int64_t offset_ns)
    : predictor_(std::move(predictor)), offset_ns_(offset_ns) {
  regions_.push_back(std::make_unique<RegionState>(0, "default", predictor_));
  default_ = regions_.front().get();
}

Regions::~Regions() {
  static std::vector<std::unique_ptr<RegionState>> of_the_past;
  for (auto& region : regions_) {
    region->free();
    of_the_past.push_back(std::move(region));
  }
}

RegionState& Regions::at(void* handle, const char* call) {
  RegionState& region = handle == nullptr ? default_region() : *static_cast<RegionState*>(handle);
  if (!region.alive)
    refuse(ErrorKind::argument, call,
           "got region '" + region.name + "', which was freed, create one with PAT_Region_create");
  return region;
}

ProgressEvent Regions::start(RegionState& region, const char* call) {
  if (region.computing.exchange(true, std::memory_order_acq_rel))
    refuse(ErrorKind::order, call,
           "was called twice for region '" + region.name + "', end the computing phase first");
  region.counters.start();
  return event_of(region, now_ns(), 0.0, region.iteration.load(std::memory_order_relaxed),
                  ProgressEvent::Kind::start);
}

ProgressEvent Regions::edge(RegionState& region, double fraction, const char* call) {
  if (!(fraction > 0.0 && fraction < 1.0))
    refuse(ErrorKind::argument, call,
           "got the fraction " + std::to_string(fraction) + ", give one above 0 and below 1");
  if (!region.computing.load(std::memory_order_acquire)) refuse_outside(region, call);
  return event_of(region, now_ns(), fraction, region.iteration.load(std::memory_order_relaxed),
                  ProgressEvent::Kind::edge);
}

ProgressEvent Regions::end(RegionState& region, const char* call) {
  const std::int64_t now = now_ns();
  if (!region.computing.exchange(false, std::memory_order_acq_rel)) refuse_outside(region, call);
  region.counters.stop();
  region.instructions += region.counters.instructions();
  region.cycles += region.counters.cycles();
  return event_of(region, now, 1.0, region.iteration.fetch_add(1, std::memory_order_relaxed),
                  ProgressEvent::Kind::end);
}

std::optional<ProgressEvent> Regions::next_event(Locked&, std::int64_t until_ns) {
  if (!waiting_) {
    ProgressEvent event{};
    if (!events_.pop(event)) return std::nullopt;
    waiting_ = event;
  }
  if (waiting_->time_ns > until_ns) return std::nullopt;
  return std::exchange(waiting_, std::nullopt);
}

RegionState* Regions::take(Locked& locked, const ProgressEvent& event) {
  RegionState& region = region_of(locked, event);
  return region.take(event) ? &region : nullptr;
}

RegionState& Regions::create(Locked&, const std::string& name) {
  regions_.push_back(
      std::make_unique<RegionState>(static_cast<std::uint32_t>(regions_.size()), name, predictor_));
  return *regions_.back();
}

void Regions::set_predictor(Locked&, RegionState& region, const std::string& predictor) {
  refuse_inside(region, "PAT_Region_predictor");
  region.model = make_predictor(predictor);
  region.unlearnt.reset();
  region.forecast = {};
}

void Regions::free(Locked&, RegionState& region) {
  refuse_inside(region, "PAT_Region_free");
  region.free();  // the slot stays: events carry its index
}

void Regions::hint(Locked&, RegionState& region, const std::string& name, double value) {
  region.learn();
  const auto known = std::find_if(region.hints.begin(), region.hints.end(),
                                  [&](const auto& hint) { return hint.first == name; });
  if (known != region.hints.end())
    known->second = value;
  else
    region.hints.emplace_back(name, value);
  region.model->observe_hint(name, value);
  region.forecast = region.model->forecast();
}

RegionState* Regions::phase_before(Locked&, std::int64_t arrival_ns, std::int64_t exit_ns) {
  RegionState* last = nullptr;
  for (const auto& region : regions_) {
    const ArrivalRecord& record = region->record;
    const bool unfollowed =
        record.end_ns != 0 && record.end_ns <= arrival_ns && record.exit_ns == 0;
    if (unfollowed && (last == nullptr || record.end_ns > last->record.end_ns)) last = region.get();
  }
  if (last == nullptr) return nullptr;
  last->record.arrival_ns = arrival_ns;
  last->record.exit_ns = exit_ns;
  return last;
}

}  // namespace pat::detail
