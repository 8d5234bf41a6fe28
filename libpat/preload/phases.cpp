#include "libpat/preload/phases.hpp"

#include <string>

#include "libpat/agreement/thread_id.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/report/site.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/settled.hpp"
#include "libpat/session/sites.hpp"

namespace pat::detail {
namespace {

/// Shorter ones are not looked at one by one: nothing is to be gained before calls that follow each
/// other so fast, and a model takes microseconds to learn.
constexpr std::int64_t shortest_phase_ns = 1'000'000;

/// A thread that calls from so many places begins anew.
constexpr std::size_t most_places = 4096;

void note(const RegionState& region, std::uint32_t iteration, std::int64_t time_ns, float fraction,
          ProgressEvent::Kind kind) {
  Session::instance()->note({time_ns, {{fraction, iteration, region.id}}, kind, thread_number()},
                            false);
}

std::uint32_t iteration_of(const RegionState& region) {
  return region.iteration.load(std::memory_order_relaxed);
}

using Kind = ProgressEvent::Kind;

void start(RegionState& region, std::int64_t time_ns) {
  region.started_ns.store(time_ns, std::memory_order_relaxed);
  region.thread.store(thread_id(), std::memory_order_relaxed);
  note(region, iteration_of(region), time_ns, 0.0F, Kind::start);
}

void end(RegionState& region, std::int64_t time_ns, std::int64_t paused_ns) {
  const std::uint32_t iteration = iteration_of(region);
  region.started_ns.store(0, std::memory_order_relaxed);
  Session::instance()->note_pauses(region, iteration, time_ns, paused_ns);
  note(region, iteration, time_ns, 1.0F, Kind::end);
  region.iteration.fetch_add(1, std::memory_order_relaxed);
}

/// The regions of this session by twin and return address; under the session's lock.
using Regions_by_site = std::map<std::pair<std::uint32_t, const void*>, RegionState*>;
Regions_by_site& regions_by_site() {
  static auto& all = *new Regions_by_site;
  return all;
}

void free_departed(Locked& locked, Session& session) {
  for (auto one = regions_by_site().begin(); one != regions_by_site().end();) {
    if (!session.twins.has_departed(locked, one->first.first)) {
      ++one;
      continue;
    }
    RegionState& region = *one->second;
    session.following.record_phase(locked, region);
    session.regions.free(locked, region);
    session.following.forget(locked, region);
    one = regions_by_site().erase(one);
  }
}

RegionState& create(Locked& locked, Session& session, const std::string& name, Twin& twin,
                    const Phases::Place& place) {
  session.following.take_events(locked);
  free_departed(locked, session);
  RegionState& made = session.regions.create(locked, name);
  made.site = place.caller;
  made.site_function = place.function;
  session.following.expect_on(locked, made, twin);
  return made;
}

/// Null: PAT has not met the communicator yet.
RegionState* region_of(Phases::Place& place) {
  const std::uint64_t drops = settled_drops();
  if (place.region != nullptr && place.drops == drops) return place.region;
  Twin* twin = Twins::attached(place.comm);
  if (twin == nullptr) return nullptr;
  Session& session = *Session::instance();
  const std::string name = place.number != 0 ? name_of_site(place.number)
                                             : name_of_site(place.function, place.caller, false);
  place.region = session.under_lock([&](Locked& locked) {
    RegionState*& region = regions_by_site()[{twin->id(), place.caller}];
    if (region == nullptr) region = &create(locked, session, name, *twin, place);
    return region;
  });
  place.drops = drops;
  return place.region;
}

}  // namespace

namespace {

thread_local constinit Phases* known = nullptr;
thread_local constinit bool at_its_end = false;  ///< the thread, whose last functions may call MPI

struct Owned {
  Phases phases;
  ~Owned() {
    known = nullptr;
    at_its_end = true;
  }
};

}  // namespace

Phases& Phases::mine() {
  if (known != nullptr) return *known;
  if (at_its_end) {
    known = new Phases;
  } else {
    thread_local Owned owned;
    known = &owned.phases;
  }
  return *known;
}

Phases::Place& Phases::place(const char* function, MPI_Comm comm, const void* caller) {
  const auto bits = reinterpret_cast<std::uintptr_t>(caller);
  Place*& recent = recent_[(bits ^ bits >> 4) % recent_.size()];
  if (recent == nullptr || recent->comm != comm || recent->caller != caller)
    recent = &find(function, comm, caller);
  return *recent;
}

Phases::Place& Phases::find(const char* function, MPI_Comm comm, const void* caller) {
  if (places_.size() >= most_places) {
    drop_open(now_ns());
    places_.clear();
    recent_.fill(nullptr);
    last_ = open_place_ = nullptr;
    left_ns_ = 0;
  }
  const auto [found, fresh] = places_.try_emplace({comm, caller});
  Place& place = found->second;
  if (fresh) {
    place.comm = comm;
    place.caller = caller;
    place.function = function;
    place.is_the_librarys = is_the_librarys(caller);
    if (!place.is_the_librarys && Session::instance()->journal != nullptr) name(place);
  }
  return place;
}

/// It reads debug information, which is no computing of the program's.
void Phases::name(Place& place) {
  const std::int64_t since_ns = now_ns();
  place.number = number_of_site(place.function, place.caller,
                                [&] { return name_of_site(place.function, place.caller, true); });
  const std::int64_t took_ns = now_ns() - since_ns;
  if (open_ != nullptr)
    paused_ns_ += took_ns;
  else if (left_ns_ != 0)
    left_ns_ += took_ns;
}

void Phases::drop_open(std::int64_t time_ns) {
  if (open_ == nullptr) return;
  open_->started_ns.store(0, std::memory_order_relaxed);
  note(*open_, iteration_of(*open_), time_ns, 0.0F, Kind::leave);
  open_ = nullptr;
  noted_ns_ = 0;
}

/// Instructions are counted in phases that are thought to run only.
Waypoint Phases::waypoint(std::int64_t time_ns) {
  if (open_ != nullptr && counters_.available()) {
    counters_.stop();
    instructions_ += counters_.instructions();
    counters_.start();
  }
  return {static_cast<double>(time_ns - left_ns_ - paused_ns_) * 1e-9, instructions_};
}

void Phases::begin_phase(std::int64_t time_ns) {
  left_ns_ = time_ns;
  paused_ns_ = noted_ns_ = 0;
  passed_.count = 0;
  told_ = 0.0;
  instructions_ = 0;
}

void Phases::waited(WaitsFor what, std::int64_t since_ns, std::int64_t time_ns) {
  if (left_ns_ == 0) return;
  paused_ns_ += time_ns - since_ns;
  if (what == WaitsFor::others) return;
  if (passed_.count >= Waypoints::most) return;
  const Waypoint point = waypoint(time_ns);
  if (open_ != nullptr) tell_progress(time_ns, point);
  passed_.add(point);
}

/// As if the program had called PAT_Edge here.
void Phases::tell_progress(std::int64_t time_ns, const Waypoint& point) {
  const auto share = open_place_->progress.share(passed_.count, point, told_);
  if (!share) return;
  told_ = *share;
  Session& session = *Session::instance();
  session.note_pauses(*open_, iteration_of(*open_), time_ns,
                      paused_ns_ - std::exchange(noted_ns_, paused_ns_));
  const ProgressEvent edge{
      time_ns, {{static_cast<float>(*share), iteration_of(*open_), open_->id}}, Kind::edge};
  session.note(edge, true);
  session.nudge(edge);
}

void Phases::arrive(Place& here, std::int64_t time_ns) {
  const std::int64_t gap_ns = left_ns_ != 0 ? time_ns - left_ns_ : 0;
  here.gap_ns = gap_ns;
  if (last_ != nullptr) last_->next = &here;
  RegionState* region = gap_ns >= shortest_phase_ns ? region_of(here) : nullptr;
  if (region != nullptr) here.progress.learn(passed_, waypoint(time_ns));
  if (open_ != nullptr && counters_.available()) counters_.stop();
  if (open_ != region) drop_open(time_ns);
  if (region == nullptr) return;
  if (open_ == nullptr) start(*region, left_ns_);
  end(*region, time_ns, paused_ns_ - noted_ns_);
  open_ = nullptr;
}

void Phases::leave(Place& here, std::int64_t time_ns) {
  last_ = &here;
  begin_phase(time_ns);
  Place* const next = here.next;
  if (next == nullptr || next->region == nullptr || next->gap_ns < shortest_phase_ns ||
      next->drops != settled_drops())
    return;
  open_ = next->region;
  open_place_ = next;
  if (counters_.available()) counters_.start();
  start(*open_, time_ns);
  Session::instance()->nudge({time_ns, {{0.0F, iteration_of(*open_), open_->id}}, Kind::start});
}

}  // namespace pat::detail
