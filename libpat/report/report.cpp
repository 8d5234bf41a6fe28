#include "libpat/report/report.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/clock.hpp"
#include "core/errors.hpp"
#include "core/statistics.hpp"
#include "core/trace.hpp"
#include "core/whole_file.hpp"
#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/settings.hpp"
#include "libpat/session/snapshot.hpp"

namespace pat::detail {
namespace {

using Json = nlohmann::ordered_json;

Json describe(const Snapshot::Region& region) {
  return {{"name", region.name},
          {"phases", region.phases},
          {"computing_s", region.computing_s},
          {"forecast_mean_absolute_error_s", region.forecast_mean_absolute_error_s},
          {"forecasts", region.forecasts},
          {"instructions", region.instructions},
          {"cycles", region.cycles}};
}

/// Most calls first.
Json describe(const Reasons& reasons) {
  Json list = Json::array();
  for (const Reasons::Count& one : reasons.by_calls())
    list.push_back({{"calls", one.calls}, {"reason", one.latest}});
  return list;
}

Json describe(const TallyKey& key, const Tally& tally) {
  return {{"group", key.group},
          {"leader", key.leader},
          {"operation", key.operation},
          {"root", key.root},
          {"block_bytes", key.block_bytes},
          {"varying", key.varying},
          {"choice", key.choice},
          {"calls", tally.calls()},
          {"calls_by_algorithm", tally.calls_by_algorithm},
          {"reasons", describe(tally.reasons)},
          {"settled", tally.settled_calls},
          {"begun_in_background", tally.background_calls},
          {"granted_out_of_turn", tally.out_of_turn},
          {"in_call_s", tally.in_call_s},
          {"waited_for_decisions_s", tally.waited_for_decision_s},
          {"longest_wait_for_a_decision_s", tally.longest_decision_wait_s}};
}

/// One line for each stream of a communicator, then one for all streams alike of freed ones.
Json describe(const Snapshot::Stream& stream) {
  Json line;
  if (stream.communicator)
    line = {{"communicator", *stream.communicator}, {"stream", *stream.stream}};
  else
    line = {{"communicator", "freed"}, {"stream", nullptr}};
  line.update(describe(stream.key, stream.tally));
  return line;
}

Json describe_process(const Snapshot& now) {
  Json process = {{"rank", now.rank},
                  {"daemon", now.daemon},
                  {"wall_s", now.wall_s},
                  {"daemon_cpu_s", now.daemon_cpu_s},
                  {"daemon_moving_cpu_s", now.daemon_moving_cpu_s},
                  {"control_messages", now.control_messages},
                  {"control_bytes", now.control_bytes},
                  {"dropped_events", now.dropped_events},
                  {"static_calls", now.static_calls},
                  {"regions", Json::array()},
                  {"streams", Json::array()}};
  for (const Snapshot::Region& region : now.regions) process["regions"].push_back(describe(region));
  for (const Snapshot::Stream& stream : now.streams) process["streams"].push_back(describe(stream));
  return process;
}

/// The texts of all processes at rank 0; empty elsewhere.
std::vector<std::string> gather_texts(const Snapshot& now, const std::string& mine) {
  const MPI_Comm comm = now.comm;
  const auto ranks = static_cast<std::size_t>(now.size);
  int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks), offsets(ranks);
  check(PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm));
  for (std::size_t r = 1; r < ranks; ++r) offsets[r] = offsets[r - 1] + lengths[r - 1];
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  check(PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                     MPI_CHAR, 0, comm));
  std::vector<std::string> texts;
  if (now.rank == 0)
    for (std::size_t r = 0; r < ranks; ++r)
      texts.push_back(
          all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(lengths[r])));
  return texts;
}

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

/// One value a process and row at rank 0, row after row; empty elsewhere.
std::vector<double> gather_rows(const Snapshot& now, const std::vector<double>& mine) {
  const auto ranks = static_cast<std::size_t>(now.size), rows = mine.size();
  std::vector<double> all(now.rank == 0 ? rows * ranks : 0), by_row;
  const int count = static_cast<int>(rows);
  check(PMPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, now.comm));
  for (std::size_t i = 0; i < rows && !all.empty(); ++i)
    for (std::size_t r = 0; r < ranks; ++r) by_row.push_back(all[r * rows + i]);
  return by_row;
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

/// Arrivals, computing times and hints of every call on the session's communicator, at rank 0.
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

double mean_imbalance_s(const Trace& trace) {
  std::vector<double> imbalances;
  for (int i = 0; i < trace.iterations(); ++i) {
    const auto row = trace.row(i);
    const auto [low, high] = std::minmax_element(row.begin(), row.end());
    imbalances.push_back(*high - *low);
  }
  return mean(imbalances);
}

Json summary(const Snapshot& now, const std::vector<std::string>& texts, const Trace& trace) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0, level = 0;
  PMPI_Get_library_version(version, &length);
  PMPI_Query_thread(&level);
  const std::string first_line(version, std::find_if(version, version + length, [](char c) {
                                 return c == '\n' || c == ',' || c == '\0';
                               }));
  Json report = {{"processes", now.size},
                 {"mpi", first_line},
                 {"thread_multiple", level == MPI_THREAD_MULTIPLE},
                 {"predictor", now.config.predictor},
                 {"calibration", now.config.calibration},
                 {"calls", trace.iterations()},
                 {"mean_imbalance_s", mean_imbalance_s(trace)}};
  double cpu_s = 0.0, moving_s = 0.0, wall_s = 0.0;
  Json processes = Json::array();
  for (const std::string& text : texts) {
    processes.push_back(Json::parse(text));
    cpu_s += processes.back()["daemon_cpu_s"].get<double>();
    moving_s += processes.back()["daemon_moving_cpu_s"].get<double>();
    wall_s += processes.back()["wall_s"].get<double>();
  }
  report["daemon_cpu_s"] = cpu_s;
  report["daemon_moving_cpu_s"] = moving_s;
  report["daemon_share"] = wall_s > 0.0 ? (cpu_s - moving_s) / wall_s : 0.0;
  report["process"] = processes;
  return report;
}

std::string percent(double share) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << 100.0 * share << " %";
  return text.str();
}

/// "bsls 41, mpi 19".
std::string counts(const Json& calls_by_algorithm) {
  std::string text;
  for (const auto& [algorithm, calls] : calls_by_algorithm.items())
    text += (text.empty() ? "" : ", ") + algorithm + " " + calls.dump();
  return text;
}

/// Lines of two processes about one stream, or about the same streams of freed communicators.
bool is_same(const Json& one, const Json& other) {
  std::vector<const char*> keys = {"communicator", "stream"};
  if (one["communicator"] == "freed")
    keys = {"communicator", "group",       "leader",  "operation",
            "root",         "block_bytes", "varying", "choice"};
  return std::all_of(keys.begin(), keys.end(),
                     [&](const char* key) { return one[key] == other[key]; });
}

/// The stream as its leader describes it, who alone knows the reasons.
const Json& at_leader(const Json& report, const Json& stream) {
  for (const Json& other : report["process"][stream["leader"].get<std::size_t>()]["streams"])
    if (is_same(other, stream)) return other;
  return stream;
}

/// The first three, and all that speak for another algorithm than the library's.
void print_reasons(const Json& reasons, std::ostream& out) {
  constexpr std::size_t most = 3;
  std::uint64_t calls_left = 0, left = 0;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const auto calls = reasons[i]["calls"].get<std::uint64_t>();
    const auto reason = reasons[i]["reason"].get<std::string>();
    if (i < most || !reason.starts_with("mpi:")) {
      out << std::setw(14) << calls << " x  " << reason << "\n";
    } else {
      calls_left += calls;
      ++left;
    }
  }
  if (left > 0)
    out << std::setw(14) << calls_left << " x  for " << left << " more reason"
        << (left > 1 ? "s" : "") << " to leave it to mpi\n";
}

/// The regions of one name on one process, as one row.
struct RegionRow {
  int rank;
  std::string name;
  int regions = 0;
  long phases = 0;
  double computing_s = 0.0, error_sum_s = 0.0;
  long forecasts = 0;
};

std::vector<RegionRow> region_rows(const Json& report) {
  std::vector<RegionRow> rows;
  for (const Json& process : report["process"]) {
    const auto first = static_cast<std::ptrdiff_t>(rows.size());
    const int rank = process["rank"];
    for (const Json& region : process["regions"]) {
      if (region["phases"] == 0) continue;
      const std::string name = region["name"];
      auto row = std::find_if(rows.begin() + first, rows.end(),
                              [&](const RegionRow& one) { return one.name == name; });
      if (row == rows.end()) row = rows.insert(row, {.rank = rank, .name = name});
      const long forecasts = region["forecasts"];
      ++row->regions;
      row->phases += region["phases"].get<long>();
      row->computing_s += region["computing_s"].get<double>();
      row->forecasts += forecasts;
      row->error_sum_s +=
          region["forecast_mean_absolute_error_s"].get<double>() * static_cast<double>(forecasts);
    }
  }
  return rows;
}

void print_regions(const Json& report, std::ostream& out) {
  out << std::setw(5) << "rank"
      << "  " << std::left << std::setw(20) << "region" << std::right << std::setw(8) << "phases"
      << std::setw(14) << "computing s" << std::setw(16) << "forecast MAE ms"
      << "\n";
  for (const RegionRow& row : region_rows(report)) {
    const double error_s =
        row.forecasts > 0 ? row.error_sum_s / static_cast<double>(row.forecasts) : 0.0;
    out << std::setw(5) << row.rank << "  " << std::left << std::setw(20) << row.name << std::right
        << std::setw(8) << row.phases << std::setw(14) << row.computing_s << std::setw(16)
        << 1e3 * error_s;
    if (row.regions > 1) out << "  (" << row.regions << " regions of that name)";
    out << "\n";
  }
  out << "computing: of all phases; forecast MAE: mean absolute error of the computing times "
         "predicted\n";
}

void print(const Json& report, std::ostream& out) {
  const auto ms = [](const Json& seconds) { return 1e3 * seconds.get<double>(); };
  out << std::fixed << std::setprecision(3);
  out << "PAT report: " << report["processes"] << " processes, daemon "
      << percent(report["daemon_share"])
      << " of a core (data under way apart: " << report["daemon_moving_cpu_s"].get<double>()
      << " s)\n"
      << report["calls"] << " calls on the communicator of PAT_Init, mean imbalance "
      << ms(report["mean_imbalance_s"]) << " ms\n"
      << "auto goes by "
      << (report["calibration"] == ""
              ? "alpha and beta of a common network, not this one's: see `pat calibrate`"
              : report["calibration"].get<std::string>())
      << "\n";
  print_regions(report, out);
  out << "on rank 0:\n"
      << std::setw(10) << "operation" << std::setw(6) << "root" << std::setw(12) << "block bytes"
      << std::setw(14) << "choice" << std::setw(8) << "calls" << std::setw(12) << "in call ms"
      << std::setw(12) << "decision ms"
      << "  algorithms\n";
  for (const Json& stream : report["process"][0]["streams"]) {
    out << std::setw(10) << stream["operation"].get<std::string>() << std::setw(6)
        << stream["root"].get<int>() << std::setw(12)
        << (stream["varying"].get<bool>()
                ? "varying"
                : std::to_string(stream["block_bytes"].get<std::size_t>()))
        << std::setw(14) << stream["choice"].get<std::string>() << std::setw(8)
        << stream["calls"].get<long>() << std::setw(12) << ms(stream["in_call_s"]) << std::setw(12)
        << ms(stream["waited_for_decisions_s"]) << "  " << counts(stream["calls_by_algorithm"])
        << (stream["communicator"] == "freed" ? "  (communicators freed since)" : "") << "\n";
    print_reasons(at_leader(report, stream)["reasons"], out);
  }
  const long undecided = report["process"][0]["static_calls"].get<long>();
  if (undecided > 0)
    out << std::setw(10) << undecided
        << " calls more went to mpi without a decision: chosen, below PAT_MIN_BYTES, empty, above "
           "2 "
           "GiB or on one process\n";
  out << "in call: until the process left it, all calls together; decision: what it waited for "
         "one;\nbelow each line why, most calls first: reasons that differ in their numbers alone "
         "are one,\nthe numbers are the latest\n";
}

}  // namespace

void check_outputs(const Config& config) {
  const auto check_place = [](const char* setting, const std::string& path) {
    if (!path.empty()) use_setting(setting, path, [&] { whole_file_place(path); });
  };
  check_place("PAT_TRACE", config.trace);
  if (config.report != "stderr") check_place("PAT_REPORT", config.report);
}

void write_trace_and_report(Session& session) {
  const Snapshot now = take_snapshot(session);
  if (!now.records) return;
  const std::string &trace_path = now.config.trace, &report_path = now.config.report;
  const Trace trace = gather_trace(now);
  const std::string text =
      describe_process(now).dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::vector<std::string> texts = gather_texts(now, text);
  if (now.rank != 0) return;
  const auto write_report = [&] {
    if (report_path.empty()) return;
    const Json report = summary(now, texts, trace);
    if (report_path == "stderr")
      print(report, std::cerr);
    else
      write_whole_file(report_path, report.dump(2) + "\n");
  };
  const bool traceless = !now.calls;
  if (!trace_path.empty() && traceless)
    spdlog::warn(
        "no trace is written to {}: the communicator of PAT_Init was freed before PAT_Finalize, "
        "free it after",
        trace_path);
  try {
    if (!trace_path.empty() && !traceless) write_trace(trace, trace_path);
  } catch (const Error&) {
    write_report();  // a disk too full for the one may have room for the other
    throw;
  }
  write_report();
}

}  // namespace pat::detail
