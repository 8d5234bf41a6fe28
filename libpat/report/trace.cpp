#include "libpat/report/trace.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/clock.hpp"
#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/report/gather.hpp"

namespace pat::detail {
namespace {

using Json = nlohmann::ordered_json;

/// Whose calls the rows of the trace are; for rank 0, whose calls are in the order of all.
void add_places(Trace& trace, const std::vector<const Snapshot::Record*>& rows) {
  std::vector<std::string> places;
  for (const Snapshot::Record* row : rows) {
    const std::string& place = row->place;
    const auto known = std::find(places.begin(), places.end(), place);
    trace.place.push_back(static_cast<int>(known - places.begin()));
    if (known == places.end()) places.push_back(place);
  }
  if (places.size() > 1) {
    trace.region = "all calls on the session's communicator";
    trace.places = std::move(places);
    return;
  }
  if (!places.empty()) trace.region = places.front();
  trace.place.clear();
}

/// As JSON and its reader leave it: what is no UTF-8 replaced.
std::string as_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

/// The names of all hints that any process gave, the same everywhere.
std::vector<std::string> hint_names(const Snapshot& now,
                                    const std::vector<const Snapshot::Record*>& rows) {
  std::set<std::string> names;
  for (const Snapshot::Record* row : rows)
    for (const auto& [name, value] : row->hints) names.insert(as_utf8(name));
  std::set<std::string> all;
  for (const std::string& text : gather_texts(now, Json(names).dump()))
    all.merge(Json::parse(text).get<std::set<std::string>>());
  std::string text = Json(all).dump();
  broadcast_text(now.comm, text);
  return Json::parse(text).get<std::vector<std::string>>();
}

/// The calls of which every process has a whole record: a request that was started and never ready,
/// here or elsewhere, left none.
std::vector<const Snapshot::Record*> whole_rows(const Snapshot& now,
                                                const std::vector<Snapshot::Record>& calls) {
  const MPI_Comm control = now.comm;
  std::uint64_t count = calls.size();
  check(PMPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_UINT64_T, MPI_MIN, control));
  std::vector<int> whole(count);
  for (std::size_t i = 0; i < count; ++i) whole[i] = calls[i].arrival_ns != 0;
  check(PMPI_Allreduce(MPI_IN_PLACE, whole.data(), static_cast<int>(count), MPI_INT, MPI_MIN,
                       control));
  std::vector<const Snapshot::Record*> rows;
  for (std::size_t i = 0; i < count; ++i)
    if (whole[i]) rows.push_back(&calls[i]);
  return rows;
}

}  // namespace

Trace gather_trace(const Snapshot& now) {
  if (!now.calls) return {};  // the user has freed the session's communicator
  const std::vector<const Snapshot::Record*> rows = whole_rows(now, *now.calls);
  const MPI_Comm control = now.comm;
  const std::int64_t origin = rows.empty() ? 0 : rows.front()->start_ns;
  std::int64_t common_origin = origin;
  check(PMPI_Allreduce(&origin, &common_origin, 1, MPI_INT64_T, MPI_MIN, control));
  std::vector<double> arrivals, starts, computing;
  for (const Snapshot::Record* row : rows) {
    starts.push_back(static_cast<double>(row->start_ns - common_origin) * 1e-9);
    arrivals.push_back(static_cast<double>(row->arrival_ns - common_origin) * 1e-9);
    computing.push_back(row->computing_s);
  }
  std::vector<double> first_starts(rows.size());
  check(PMPI_Allreduce(starts.data(), first_starts.data(), static_cast<int>(rows.size()),
                       MPI_DOUBLE, MPI_MIN, control));
  for (std::size_t i = 0; i < rows.size(); ++i)
    arrivals[i] = std::max(0.0, arrivals[i] - first_starts[i]);
  Trace trace;
  trace.ranks = now.size;
  trace.clock = clock_info().source + ", offset to rank 0 by ping-pong";
  trace.origin = "PAT_TRACE";
  trace.arrival_s = gather_rows(now, arrivals);
  trace.computing_s = gather_rows(now, computing);
  for (const std::string& name : hint_names(now, rows)) {
    std::vector<double> values(rows.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const auto& [given, value] : rows[i]->hints)
        if (as_utf8(given) == name) values[i] = value;
    trace.hints.push_back({name, gather_rows(now, values)});
  }
  if (now.rank != 0) return {};
  add_places(trace, rows);
  return trace;
}

}  // namespace pat::detail
