#include "libpat/session/regions.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>

#include "libpat/agreement/region_places.hpp"
#include "libpat/agreement/thread_id.hpp"

namespace pat::detail {
namespace {

static_assert(sizeof(void*) == 8, "a handle has room for a place and its generation");

/// Of all sessions, so that a handle of an earlier one is refused with its name. Never destroyed: a
/// session may end with the process.
RegionPlaces& places() {
  static RegionPlaces& all = *new RegionPlaces;
  return all;
}

ProgressEvent event_of(const RegionState& region, std::int64_t time_ns, double fraction,
                       std::uint32_t iteration, ProgressEvent::Kind kind) {
  return {time_ns, {{static_cast<float>(fraction), iteration, region.id}}, kind};
}

void stop_counting(RegionState& region) {
  if (!region.counters.available()) return;
  region.counters.stop();
  region.instructions += region.counters.instructions();
  region.cycles += region.counters.cycles();
}

/// Ends a pause that no event has told of; false: there is none. Others may take the sum meanwhile.
bool sum_pause(RegionState& region, std::int64_t now_ns) {
  const std::int64_t since_ns = region.untold_since_ns.load(std::memory_order_relaxed);
  if (since_ns == 0) return false;
  region.untold_since_ns.store(0, std::memory_order_relaxed);
  region.untold_pauses_ns.fetch_add(now_ns - since_ns, std::memory_order_relaxed);
  return true;
}

}  // namespace

Regions::Regions(std::string predictor, const std::optional<ClockDifference>& clocks, int rank)
    : predictor_(std::move(predictor)), clock_(clocks, rank), rank_(rank) {
  if (places().size() == 0) places().add("default");
  default_ = places().find(0);
  for (std::uint32_t id = 0; id < places().size(); ++id) {
    RegionState* place = places().find(id);
    place->free();
    place->forget_totals();
    if (place != default_) add_free(*place);
  }
  begin(*default_);
}

Regions::~Regions() {
  for (RegionState* region : regions_) region->free();
}

// ---------------------------------------------------------------- handles

RegionState& Regions::created(void* handle, const char* call) {
  const auto bits = reinterpret_cast<std::uint64_t>(handle);
  RegionState* region = places().find(static_cast<std::uint32_t>(bits));
  if (region == nullptr || region == default_)
    throw Error(ErrorKind::argument,
                std::string(call) + " got what is no region, create one with PAT_Region_create");
  const auto generation = static_cast<std::uint32_t>(bits >> 32);
  if (region->generation.load(std::memory_order_acquire) != generation)
    refuse_freed(*region, generation, call);
  return *region;
}

void* Regions::handle_of(const RegionState& region) {
  return reinterpret_cast<void*>(std::uint64_t{region.generation} << 32 | region.id);
}

// ---------------------------------------------------------------- mistakes

void Regions::count(const std::string& region, std::string_view kind, const std::string& sentence) {
  const Mistakes::Say say = mistakes_.add(kind, region, sentence);
  if (say == Mistakes::Say::nothing || rank_ != 0) return;
  spdlog::warn("rank 0: {} (said once, {}PAT_REPORT tells how often)", sentence,
               say == Mistakes::Say::it ? "" : "in further regions not at all; ");
}

void Regions::refuse(const RegionState& region, std::string_view kind, ErrorKind error,
                     const char* call, const std::string& what) {
  const std::string sentence = std::string(call) + " " + what;
  count(region.name, kind, sentence);
  throw Error(error, sentence);
}

/// Another thread may be about to give the place to a region of another name.
void Regions::refuse_freed(const RegionState& place, std::uint32_t generation, const char* call) {
  const std::string name = place.name_of(generation);
  const std::string what = name.empty() ? "a region that" : "region '" + name + "', which";
  const std::string sentence =
      std::string(call) + " got " + what + " was freed, create one with PAT_Region_create";
  count(name, "use of a freed region", sentence);
  throw Error(ErrorKind::argument, sentence);
}

void Regions::refuse_outside(const RegionState& region, std::string_view kind, const char* call) {
  refuse(region, kind, ErrorKind::order, call,
         "was called outside a computing phase of region '" + region.name + "', start one first");
}

void Regions::refuse_fraction(const RegionState& region, double fraction, const char* call) {
  refuse(region, "share of the work out of range", ErrorKind::argument, call,
         fmt::format("got the fraction {} in region '{}', give one above 0 and below 1", fraction,
                     region.name));
}

void Regions::count_step_back(const RegionState& region, double before, double fraction,
                              const char* call) {
  count(region.name, "edge that goes back",
        fmt::format("{} went back from {} to {} in region '{}', give how much of the whole phase "
                    "is done",
                    call, before, fraction, region.name));
}

void Regions::refuse_inside(const RegionState& region, const char* call) {
  if (region.phase != RegionState::Phase::none)
    refuse(region, "change of a region inside its phase", ErrorKind::order, call,
           "was called inside a computing phase of region '" + region.name + "', end it first");
}

void Regions::count_open(Locked&, const char* call) {
  for (const RegionState* region : regions_)
    if (region->phase != RegionState::Phase::none)
      count(region->name, "phase that did not end",
            fmt::format("{} was called inside a computing phase of region '{}', end it first", call,
                        region->name));
}

/// Of this thread only: the edges of several may overtake each other.
[[gnu::hot]] double Regions::exchange_fraction(const RegionState& region, std::uint32_t iteration,
                                               double fraction) {
  struct Edge {
    std::uint64_t phase = ~std::uint64_t{0};
    double fraction = 0.0;
  };
  // Initial-exec: found by one load, where a shared library's threads' variables cost a call.
  [[gnu::tls_model("initial-exec")]] thread_local Edge last;
  const Edge before =
      std::exchange(last, Edge{std::uint64_t{iteration} << 32 | region.id, fraction});
  return before.phase == last.phase ? before.fraction : 0.0;
}

// ---------------------------------------------------------------- what the program says

[[gnu::hot]] ProgressEvent Regions::start(RegionState& region, const char* call) {
  auto before = RegionState::Phase::none;
  region.started_ns.store(now_ns(), std::memory_order_relaxed);
  region.thread.store(thread_id(), std::memory_order_relaxed);
  if (!region.phase.compare_exchange_strong(before, RegionState::Phase::computing,
                                            std::memory_order_acq_rel))
    refuse(region, "start inside a phase", ErrorKind::order, call,
           "was called twice for region '" + region.name + "', end the computing phase first");
  region.untold_since_ns.store(0, std::memory_order_relaxed);
  region.untold_pauses_ns.store(0, std::memory_order_relaxed);
  region.counters.start();
  return event_of(region, now_ns(), 0.0, region.iteration.load(std::memory_order_relaxed),
                  ProgressEvent::Kind::start);
}

[[gnu::hot]] ProgressEvent Regions::edge(RegionState& region, double fraction, const char* call) {
  if (!(fraction > 0.0 && fraction < 1.0)) refuse_fraction(region, fraction, call);
  // Before the look at the phase: if that ends meanwhile, the edge is not the next one's.
  const std::uint32_t iteration = region.iteration.load(std::memory_order_acquire);
  const auto phase = region.phase.load(std::memory_order_acquire);
  if (phase != RegionState::Phase::computing) {
    if (phase == RegionState::Phase::none) refuse_outside(region, "edge outside a phase", call);
    refuse(region, "edge inside a pause", ErrorKind::order, call,
           "was called inside a pause of region '" + region.name + "', resume it first");
  }
  const std::int64_t now = now_ns();
  const double before = exchange_fraction(region, iteration, fraction);
  if (fraction < before) count_step_back(region, before, fraction, call);
  return event_of(region, now, fraction, iteration, ProgressEvent::Kind::edge);
}

[[gnu::hot]] std::optional<ProgressEvent> Regions::pause(RegionState& region, const char* call,
                                                         bool sum) {
  const std::int64_t now = now_ns();
  auto before = RegionState::Phase::computing;
  if (!region.phase.compare_exchange_strong(before, RegionState::Phase::paused,
                                            std::memory_order_acq_rel)) {
    if (before == RegionState::Phase::none) refuse_outside(region, "pause outside a phase", call);
    refuse(region, "pause inside a pause", ErrorKind::order, call,
           "was called twice for region '" + region.name + "', resume it first");
  }
  stop_counting(region);
  if (sum) {
    region.untold_since_ns.store(now, std::memory_order_relaxed);
    return std::nullopt;
  }
  return event_of(region, now, 0.0, region.iteration.load(std::memory_order_relaxed),
                  ProgressEvent::Kind::pause);
}

[[gnu::hot]] std::optional<ProgressEvent> Regions::resume(RegionState& region, const char* call) {
  auto before = RegionState::Phase::paused;
  if (!region.phase.compare_exchange_strong(before, RegionState::Phase::computing,
                                            std::memory_order_acq_rel)) {
    if (before == RegionState::Phase::none) refuse_outside(region, "resume outside a phase", call);
    refuse(region, "resume without a pause", ErrorKind::order, call,
           "was called for region '" + region.name + "', which is not paused, pause it first");
  }
  region.counters.start();
  const std::int64_t now = now_ns();
  if (sum_pause(region, now)) return std::nullopt;
  return event_of(region, now, 0.0, region.iteration.load(std::memory_order_relaxed),
                  ProgressEvent::Kind::resume);
}

[[gnu::hot]] ProgressEvent Regions::end(RegionState& region, const char* call) {
  const std::int64_t now = now_ns();
  const auto before = region.phase.exchange(RegionState::Phase::none, std::memory_order_acq_rel);
  region.started_ns.store(0, std::memory_order_relaxed);
  if (before == RegionState::Phase::none) refuse_outside(region, "end outside a phase", call);
  if (before == RegionState::Phase::computing) stop_counting(region);
  if (before == RegionState::Phase::paused) sum_pause(region, now);
  ProgressEvent event =
      event_of(region, now, 1.0, region.iteration.fetch_add(1, std::memory_order_relaxed),
               ProgressEvent::Kind::end);
  event.thread = thread_number();  // whose call is next
  return event;
}

// ---------------------------------------------------------------- under the lock

std::optional<ProgressEvent> Regions::next_event(Locked&, std::int64_t until_ns) {
  if (!waiting_) {
    ProgressEvent event{};
    if (!events_.pop(event)) return std::nullopt;
    waiting_ = event;
  }
  if (waiting_->time_ns > until_ns) return std::nullopt;
  return std::exchange(waiting_, std::nullopt);
}

RegionState& Regions::region_of(const ProgressEvent& event) {
  return *places().find(event.progress.region);
}

RegionState* Regions::take(Locked&, const ProgressEvent& event) {
  RegionState& region = region_of(event);
  return region.take(event) ? &region : nullptr;
}

RegionState& Regions::begin(RegionState& region) {
  region.begin(predictor_);
  regions_.push_back(&region);
  return region;
}

void Regions::add_free(RegionState& place) {
  free_by_name_.emplace(place.name, free_.insert(free_.end(), &place));
}

RegionState* Regions::take_free(const std::string& name) {
  auto found = free_by_name_.lower_bound(name);
  const bool is_named_so = found != free_by_name_.end() && found->first == name;
  if (!is_named_so) {
    if (free_.size() < most_free) return nullptr;
    found = free_by_name_.lower_bound(free_.front()->name);  // of that name it was freed first
  }
  RegionState* place = *found->second;
  free_.erase(found->second);
  free_by_name_.erase(found);
  if (!is_named_so) rename(*place, name);
  return place;
}

void Regions::rename(RegionState& place, const std::string& name) {
  if (place.totals.regions > 0) {
    const bool was_full = gone_.is_full();
    gone_.add(place);
    if (!was_full && gone_.is_full() && rank_ == 0)
      spdlog::warn(
          "rank 0: regions have more than {} names, the report has those of further names as one, "
          "give one name to what is one place in the program",
          RegionSums::most_names);
  }
  place.forget_totals();
  place.rename(name);
}

RegionState& Regions::create(Locked&, const std::string& name) {
  RegionState* place = take_free(name);
  return begin(place != nullptr ? *place : places().add(name));
}

void Regions::set_predictor(Locked&, RegionState& region, const std::string& predictor) {
  refuse_inside(region, "PAT_Region_predictor");
  region.use(predictor);
}

void Regions::free(Locked&, RegionState& region) {
  refuse_inside(region, "PAT_Region_free");
  region.free();
  std::erase(regions_, &region);
  add_free(region);
}

void Regions::hint(Locked&, RegionState& region, const std::string& name, double value) {
  const auto known = std::find_if(region.hints.begin(), region.hints.end(),
                                  [&](const auto& hint) { return hint.first == name; });
  if (known != region.hints.end())
    known->second = value;
  else
    region.hints.emplace_back(name, value);
}

RegionState* Regions::phase_before(Locked&, std::uint16_t thread, std::int64_t arrival_ns,
                                   std::int64_t exit_ns) {
  callers_.insert(thread);
  RegionState *own = nullptr, *of_others = nullptr;
  for (RegionState* region : regions_) {
    const ArrivalRecord& record = region->record;
    if (record.end_ns == 0 || record.end_ns > arrival_ns || record.exit_ns != 0) continue;
    if (region->ended_by != thread && callers_.contains(region->ended_by)) continue;
    RegionState*& last = region->ended_by == thread ? own : of_others;
    if (last == nullptr || record.end_ns > last->record.end_ns) last = region;
  }
  RegionState* const last = own != nullptr ? own : of_others;
  if (last == nullptr) return nullptr;
  last->record.arrival_ns = arrival_ns;
  last->record.exit_ns = exit_ns;
  return last;
}

RegionSums Regions::sums(Locked&) const {
  RegionSums all = gone_;
  for (std::uint32_t id = 0; id < places().size(); ++id)
    if (const RegionState* region = places().find(id); region->totals.regions > 0) all.add(*region);
  return all;
}

}  // namespace pat::detail
