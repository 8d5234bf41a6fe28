// The C functions of computing phases: progress, regions, hints, what is predicted.

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "core/printable.hpp"
#include "libpat/mpi/last_error.hpp"
#include "libpat/session/session.hpp"
#include "pat/pat.h"

namespace pat::detail {
namespace {

RegionState& region_of(Session& session, PAT_Region handle, const char* call) {
  return session.regions.at(handle, call);
}

void leave(Session& session, const ProgressEvent& event, bool may_drop = false) {
  session.note(event, may_drop);
  session.nudge(event);
}

/// Before an edge or the end of a phase.
void tell_pauses(Session& session, RegionState& region, const ProgressEvent& before) {
  if (region.untold_pauses_ns.load(std::memory_order_relaxed) == 0) return;
  session.note_pauses(region, before.progress.iteration, before.time_ns,
                      region.untold_pauses_ns.exchange(0, std::memory_order_relaxed));
}

int start_phase(PAT_Region handle, const char* call) {
  return guarded([&] {
    Session& session = Session::get(call);
    leave(session, session.regions.start(region_of(session, handle, call), call));
    return MPI_SUCCESS;
  });
}

int edge(PAT_Region handle, double fraction, const char* call) {
  return guarded([&] {
    Session& session = Session::get(call);
    RegionState& region = region_of(session, handle, call);
    const ProgressEvent event = session.regions.edge(region, fraction, call);
    tell_pauses(session, region, event);
    leave(session, event, true);
    return MPI_SUCCESS;
  });
}

int pause_region(PAT_Region handle, const char* call) {
  return guarded([&] {
    Session& session = Session::get(call);
    RegionState& region = region_of(session, handle, call);
    const auto event = session.regions.pause(region, call, session.sums_pauses());
    if (event) leave(session, *event);
    return MPI_SUCCESS;
  });
}

int resume(PAT_Region handle, const char* call) {
  return guarded([&] {
    Session& session = Session::get(call);
    const auto event = session.regions.resume(region_of(session, handle, call), call);
    if (event) leave(session, *event);
    return MPI_SUCCESS;
  });
}

int end(PAT_Region handle, const char* call) {
  return guarded([&] {
    Session& session = Session::get(call);
    RegionState& region = region_of(session, handle, call);
    const ProgressEvent event = session.regions.end(region, call);
    tell_pauses(session, region, event);
    leave(session, event);
    return MPI_SUCCESS;
  });
}

int progress(double done, double total) {
  constexpr const char* call = "PAT_Progress";
  return guarded([&] {
    Session& session = Session::get(call);
    if (!(total > 0.0 && std::isfinite(total)) || !(done >= 0.0 && done <= total))
      session.regions.refuse(session.regions.default_region(), "share of the work out of range",
                             ErrorKind::argument, call,
                             fmt::format("got {} of {} in region 'default', give work done from 0 "
                                         "to a finite total above 0",
                                         done, total));
    return done > 0.0 && done < total ? edge(nullptr, done / total, call) : MPI_SUCCESS;
  });
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

int hint(PAT_Region handle, const char* text, double value, const char* call) {
  return guarded([&] {
    Session& session = Session::get(call);
    RegionState& region = region_of(session, handle, call);
    if (text == nullptr)
      session.regions.refuse(region, "hint without a name or a value", ErrorKind::argument, call,
                             "got a null pointer for the name, give a name");
    const std::string name = text;
    if (is_blank(name) || !std::isfinite(value))
      session.regions.refuse(region, "hint without a name or a value", ErrorKind::argument, call,
                             fmt::format("got '{}' = {} in region '{}', give a name and a finite "
                                         "value",
                                         name, value, region.name));
    session.under_lock([&](Locked& locked) {
      session.following.take_events(locked);
      session.regions.hint(locked, region, name, value);
      session.following.report(locked, region);
    });
    return MPI_SUCCESS;
  });
}

/// It stands in lines of logs, tables and traces.
void refuse_name(std::string_view name) {
  constexpr std::size_t most_bytes = 255;
  if (name.size() > most_bytes)
    throw Error(ErrorKind::argument,
                fmt::format("PAT_Region_create got a name of {} bytes, give one of at most {}",
                            name.size(), most_bytes));
  if (is_blank(name))
    throw Error(ErrorKind::argument, "PAT_Region_create got a blank name, give one with a letter");
  if (has_controls(name))
    throw Error(ErrorKind::argument,
                "PAT_Region_create got the name '" + printable(std::string(name)) +
                    "', give one without control characters such as line ends");
}

int create(MPI_Comm comm, const char* name, PAT_Region* region) {
  constexpr const char* call = "PAT_Region_create";
  Session& session = Session::get(call);
  if (comm == MPI_COMM_NULL)
    throw Error(ErrorKind::communicator,
                "PAT_Region_create: comm is MPI_COMM_NULL, give a communicator");
  if (name == nullptr || region == nullptr)
    throw Error(ErrorKind::argument,
                "PAT_Region_create got a null pointer, give a name and a place for the handle");
  Twin* twin = session.twin(comm, call);
  if (twin == nullptr)
    throw Error(ErrorKind::argument,
                "the communicator of region '" + std::string(name) +
                    "' is not part of the session's, start PAT on a larger one");
  refuse_name(name);  // all have come by now
  RegionState& made = session.under_lock([&](Locked& locked) -> RegionState& {
    RegionState& one = session.regions.create(locked, name);
    session.following.expect_on(locked, one, *twin);
    return one;
  });
  *region = static_cast<PAT_Region>(Regions::handle_of(made));
  return MPI_SUCCESS;
}

int set_predictor(PAT_Region handle, const char* predictor) {
  Session& session = Session::get("PAT_Region_predictor");
  RegionState& region = region_of(session, handle, "PAT_Region_predictor");
  session.under_lock([&](Locked& locked) {
    session.following.take_events(locked);  // those of the past belong to the model that goes
    session.regions.set_predictor(locked, region, predictor != nullptr ? predictor : "");
  });
  return MPI_SUCCESS;
}

int free_region(PAT_Region* handle) {
  Session& session = Session::get("PAT_Region_free");
  if (handle == nullptr || *handle == PAT_REGION_DEFAULT)
    throw Error(ErrorKind::argument,
                "PAT_Region_free got no region of its own, the default one is not freed");
  RegionState& region = region_of(session, *handle, "PAT_Region_free");
  session.under_lock([&](Locked& locked) {
    session.following.take_events(locked);
    session.following.record_phase(locked, region);
    session.regions.free(locked, region);
    session.following.forget(locked, region);
  });
  *handle = PAT_REGION_DEFAULT;
  return MPI_SUCCESS;
}

int get_pattern(PAT_Region handle, double* offsets_s, int n, std::uint64_t* epoch) {
  Session& session = Session::get("PAT_GetPattern");
  if (offsets_s == nullptr)
    throw Error(ErrorKind::argument,
                "PAT_GetPattern got a null pointer, give an array for the offsets");
  const RegionState& region = region_of(session, handle, "PAT_GetPattern");
  session.under_lock([&](Locked& locked) {
    session.following.take_events(locked);
    const int size = session.following.ranks_after(locked, region);
    if (n != size)
      throw Error(ErrorKind::count, "PAT_GetPattern got room for " + std::to_string(n) +
                                        " offsets, give an array of " + std::to_string(size));
    // A pattern of another communicator, which this region led to before, says nothing of this one.
    const bool known = region.pattern.ranks() == n;
    for (int r = 0; r < n; ++r)
      offsets_s[r] = known ? region.pattern.offset_s[static_cast<std::size_t>(r)] : 0.0;
    if (epoch != nullptr) *epoch = known ? region.pattern.epoch : 0;
  });
  return MPI_SUCCESS;
}

int get_pattern_age(PAT_Region handle, std::uint64_t* calls) {
  Session& session = Session::get("PAT_GetPatternAge");
  const RegionState& region = region_of(session, handle, "PAT_GetPatternAge");
  if (calls == nullptr)
    throw Error(ErrorKind::argument,
                "PAT_GetPatternAge got a null pointer, give a place for the age");
  const auto age = session.under_lock([&](Locked& locked) {
    session.following.take_events(locked);
    return session.following.age_of_pattern(locked, region);
  });
  if (!age) {
    remember_error(
        "PAT_GetPatternAge: there is no pattern of this region yet, ask again after a second call");
    return MPI_ERR_PENDING;
  }
  *calls = *age;
  return MPI_SUCCESS;
}

int get_forecast(PAT_Region handle, double* mean_s, double* lower_s, double* upper_s) {
  Session& session = Session::get("PAT_GetForecast");
  RegionState& region = region_of(session, handle, "PAT_GetForecast");
  const Forecast forecast = session.under_lock([&](Locked& locked) {
    session.following.take_events(locked);
    region.foretell_from_all();
    return region.forecast;
  });
  if (!forecast.known) {
    remember_error(
        "PAT_GetForecast: nothing is known of this region yet, ask again after a computing phase");
    return MPI_ERR_PENDING;
  }
  if (mean_s) *mean_s = forecast.mean_s;
  if (lower_s) *lower_s = forecast.lower_s;
  if (upper_s) *upper_s = forecast.upper_s;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace pat::detail

using pat::detail::guarded;

// Hot, here and in what these call: a program that comes back to a cold cache finds all of it on
// few pages.
extern "C" {

[[gnu::hot]] int PAT_ProcessingStart(void) {
  return pat::detail::start_phase(PAT_REGION_DEFAULT, "PAT_ProcessingStart");
}

[[gnu::hot]] int PAT_Edge(double fraction) {
  return pat::detail::edge(PAT_REGION_DEFAULT, fraction, "PAT_Edge");
}

int PAT_Progress(double done, double total) {
  return pat::detail::progress(done, total);
}

int PAT_Hint(const char* name, double value) {
  return pat::detail::hint(PAT_REGION_DEFAULT, name, value, "PAT_Hint");
}

[[gnu::hot]] int PAT_Pause(void) {
  return pat::detail::pause_region(PAT_REGION_DEFAULT, "PAT_Pause");
}

[[gnu::hot]] int PAT_Resume(void) {
  return pat::detail::resume(PAT_REGION_DEFAULT, "PAT_Resume");
}

[[gnu::hot]] int PAT_ProcessingEnd(void) {
  return pat::detail::end(PAT_REGION_DEFAULT, "PAT_ProcessingEnd");
}

int PAT_Region_create(MPI_Comm comm, const char* name, PAT_Region* region) {
  return guarded([&] { return pat::detail::create(comm, name, region); });
}

[[gnu::hot]] int PAT_Region_start(PAT_Region region) {
  return pat::detail::start_phase(region, "PAT_Region_start");
}

[[gnu::hot]] int PAT_Region_edge(PAT_Region region, double fraction) {
  return pat::detail::edge(region, fraction, "PAT_Region_edge");
}

[[gnu::hot]] int PAT_Region_pause(PAT_Region region) {
  return pat::detail::pause_region(region, "PAT_Region_pause");
}

[[gnu::hot]] int PAT_Region_resume(PAT_Region region) {
  return pat::detail::resume(region, "PAT_Region_resume");
}

[[gnu::hot]] int PAT_Region_end(PAT_Region region) {
  return pat::detail::end(region, "PAT_Region_end");
}

int PAT_Region_hint(PAT_Region region, const char* name, double value) {
  return pat::detail::hint(region, name, value, "PAT_Region_hint");
}

int PAT_Region_predictor(PAT_Region region, const char* predictor) {
  return guarded([&] { return pat::detail::set_predictor(region, predictor); });
}

int PAT_Region_free(PAT_Region* region) {
  return guarded([&] { return pat::detail::free_region(region); });
}

int PAT_GetPattern(PAT_Region region, double* offsets_s, int n, uint64_t* epoch) {
  return guarded([&] { return pat::detail::get_pattern(region, offsets_s, n, epoch); });
}

int PAT_GetPatternAge(PAT_Region region, uint64_t* calls) {
  return guarded([&] { return pat::detail::get_pattern_age(region, calls); });
}

int PAT_GetForecast(PAT_Region region, double* mean_s, double* lower_s, double* upper_s) {
  return guarded([&] { return pat::detail::get_forecast(region, mean_s, lower_s, upper_s); });
}

}  // extern "C"
