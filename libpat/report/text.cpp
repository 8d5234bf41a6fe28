#include "libpat/report/text.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace pat::detail {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

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

}  // namespace pat::detail
