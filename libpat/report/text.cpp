#include "libpat/report/text.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iomanip>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/headline.hpp"
#include "analysis/words.hpp"
#include "collectives/operation_row.hpp"
#include "core/printable.hpp"
#include "core/text.hpp"
#include "libpat/agreement/reasons.hpp"
#include "libpat/report/mistakes.hpp"

namespace pat::detail {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(double share) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << 100.0 * share << " %";
  return text.str();
}

/// "bsls 41, mpi 19".
std::string counts(const std::map<std::string, long>& calls_by_algorithm) {
  return counted(calls_by_algorithm);
}

/// The first three, and all that speak for another algorithm than the library's.
void print_reasons(const Reasons& all, std::ostream& out) {
  constexpr std::size_t most = 3;
  std::uint64_t calls_left = 0, left = 0;
  const std::vector<Reasons::Count> reasons = all.by_calls();
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const auto& [reason, calls] = reasons[i];
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

/// A region of one process.
struct RegionRow {
  const Json* region;
  int rank;

  double computing_s() const { return (*region)["computing_s"].get<double>(); }
};

/// Those of all processes that have had phases, in the order in which the processes name them.
std::vector<RegionRow> region_rows(const Json& report) {
  std::vector<RegionRow> rows;
  for (const Json& process : report["process"])
    for (const Json& region : process["regions"])
      if (region["phases"] != 0) rows.push_back({&region, process["rank"].get<int>()});
  return rows;
}

/// Leaves the `most` that have computed longest, longest first, if there are more; says what it
/// took away.
std::string shorten(std::vector<RegionRow>& rows, std::size_t most) {
  if (rows.size() <= most) return "";
  std::ranges::stable_sort(rows, std::greater<>(), &RegionRow::computing_s);
  double rest_s = 0.0;
  for (std::size_t i = most; i < rows.size(); ++i) rest_s += rows[i].computing_s();
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << std::setw(5) << rows.size() - most
       << " lines more, of " << rest_s << " s in all (a JSON report has them)\n";
  rows.resize(most);
  return text.str();
}

void print_regions(const Json& report, std::ostream& out) {
  constexpr std::size_t most = 100;
  std::vector<RegionRow> rows = region_rows(report);
  const std::string rest = shorten(rows, most);
  out << std::setw(5) << "rank"
      << "  " << std::left << std::setw(20) << "region" << std::right << std::setw(8) << "phases"
      << std::setw(14) << "computing s" << std::setw(10) << "paused s" << std::setw(10)
      << "foretold" << std::setw(16) << "forecast MAE ms"
      << "\n";
  for (const RegionRow& row : rows) {
    const Json& region = *row.region;
    out << std::setw(5) << row.rank << "  " << std::left << std::setw(20)
        << printable(region["name"].get<std::string>()) << std::right << std::setw(8)
        << region["phases"].get<long>() << std::setw(14) << row.computing_s() << std::setw(10)
        << region["paused_s"].get<double>() << std::setw(10) << region["forecasts"].get<long>()
        << std::setw(16);
    const Json& error_s = region["forecast_mean_absolute_error_s"];
    if (error_s.is_null())
      out << "not measured";
    else
      out << 1e3 * error_s.get<double>();
    const long regions = region["regions"];
    if (regions > 1) out << "  (" << regions << " regions of that name)";
    out << "\n";
  }
  out << rest
      << "computing: of all phases, without their pauses; foretold: those whose computing time was "
         "predicted, which is\nnot done where nobody needs it; forecast MAE: mean absolute error "
         "of "
         "these predictions\n";
}

/// What the program did wrong, each kind in a line.
void print_mistakes(const Json& report, std::ostream& out) {
  const std::vector<CommonMistake> mistakes = common_mistakes(report["process"]);
  if (mistakes.empty()) return;
  out << "mistakes of the program in saying how far it is:\n";
  for (const CommonMistake& one : mistakes)
    out << std::setw(14) << one.times << " x  " << one.kind << ", region '" << printable(one.region)
        << "', " << in_words(one.ranks) << ", first: " << printable(one.first) << "\n";
}

bool any_calls(const Json& report) {
  for (const Json& process : report["process"])
    for (const Json& series : process["streams"])
      if (series["calls"].get<long>() > 0) return true;
  return false;
}

void print_places(const Json& report, std::ostream& out) {
  constexpr std::size_t most = 20;
  std::vector<const Json*> places;
  for (const Json& place : report["places"]) places.push_back(&place);
  const auto lost_s = [](const Json* place) {
    return (*place)["mean_imbalance_s"].get<double>() * (*place)["iterations"].get<double>();
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](const Json* a, const Json* b) { return lost_s(a) > lost_s(b); });
  if (places.empty()) {
    out << (any_calls(report)
                ? "no call is recorded of all its processes: who waited for whom was not measured\n"
                : "no collective was called through PAT and no phase was computed: nothing was "
                  "measured\n");
    return;
  }
  out << std::setw(8) << "calls" << std::setw(14) << "imbalance ms" << std::setw(12) << "largest"
      << "  where, by which processes\n";
  for (std::size_t i = 0; i < std::min(most, places.size()); ++i) {
    const Json& place = *places[i];
    out << std::setw(8) << place["iterations"].get<long>() << std::setw(14)
        << 1e3 * place["mean_imbalance_s"].get<double>() << std::setw(12)
        << 1e3 * place["largest_imbalance_s"].get<double>() << "  "
        << printable(place["place"].get<std::string>()) << ", "
        << in_words(place["processes"].get<std::vector<int>>()) << "\n";
  }
  if (places.size() > most)
    out << std::setw(8) << places.size() - most << " places more, which wait less\n";
  out << "imbalance: from the first arrival to the last, mean of the calls; places whose "
         "imbalances add up to most first\n";
}

/// Alike series of all communicators: one line.
struct SeriesRow {
  const Json* first = nullptr;  ///< any of them
  std::set<std::string> communicators;
  long calls = 0;
  int processes = 0;  ///< that made them
  double in_call_s = 0.0, waited_s = 0.0;
  bool freed = false;
  std::map<std::string, long> algorithms;
  Reasons reasons;
};

std::string root_text(const Json& series) {
  const auto operation = find_operation(series["operation"].get<std::string>());
  if (operation && !row(*operation).rooted) return "-";
  return series["root"].is_null() ? "any" : std::to_string(series["root"].get<int>());
}

std::string key_of(const Json& series) {
  std::string key;
  for (const char* field :
       {"operation", "root", "block_bytes", "varying", "choice", "decided", "processes"})
    key += series[field].dump() + " ";
  return key;
}

void add(SeriesRow& row, const Json& series, bool leads) {
  if (row.first == nullptr) row.first = &series;
  ++row.processes;
  row.in_call_s += series["in_call_s"].get<double>();
  row.waited_s += series["waited_for_decisions_s"].get<double>();
  row.freed |= series["communicator"] == "freed";
  row.communicators.insert(series["communicator"].dump() + " " + series["group"].dump());
  if (!leads) return;  // it counts for all, and alone knows the reasons
  row.calls += series["calls"].get<long>();
  for (const auto& [algorithm, calls] : series["calls_by_algorithm"].items())
    row.algorithms[algorithm] += calls.get<long>();
  for (const Json& reason : series["reasons"])
    row.reasons.add(reason["reason"], reason["calls"].get<std::uint64_t>());
}

/// In the order in which the processes name them.
std::vector<SeriesRow> series_rows(const Json& report) {
  std::vector<SeriesRow> rows;
  std::map<std::string, std::size_t> places;
  for (const Json& process : report["process"])
    for (const Json& series : process["streams"]) {
      if (series["calls"] == 0) continue;
      const auto place = places.try_emplace(key_of(series), rows.size()).first->second;
      if (place == rows.size()) rows.emplace_back();
      add(rows[place], series, series["leader"] == process["rank"]);
    }
  return rows;
}

void print_series(const Json& report, std::ostream& out) {
  const auto mean_ms = [](double sum_s, const SeriesRow& row) {
    return 1e3 * sum_s / row.processes;
  };
  out << "collectives:\n"
      << std::setw(operation_width() + 1) << "operation" << std::setw(6) << "root" << std::setw(12)
      << "block bytes" << std::setw(14) << "choice" << std::setw(8) << "calls" << std::setw(12)
      << "in call ms" << std::setw(12) << "decision ms"
      << "  algorithms\n";
  for (const SeriesRow& row : series_rows(report)) {
    const Json& series = *row.first;
    out << std::setw(operation_width() + 1) << series["operation"].get<std::string>()
        << std::setw(6) << root_text(series) << std::setw(12)
        << (series["varying"].get<bool>()
                ? "varying"
                : std::to_string(series["block_bytes"].get<std::size_t>()))
        << std::setw(14) << series["choice"].get<std::string>() << std::setw(8) << row.calls
        << std::setw(12) << mean_ms(row.in_call_s, row) << std::setw(12)
        << mean_ms(row.waited_s, row) << "  " << counts(row.algorithms);
    if (row.communicators.size() > 1 || series["processes"] != report["processes"])
      out << "  (" << row.communicators.size() << " communicator"
          << (row.communicators.size() > 1 ? "s" : "") << " of " << series["processes"].get<int>()
          << ")";
    if (row.freed) out << "  (freed since)";
    out << "\n";
    print_reasons(row.reasons, out);
  }
}

/// What it cost to try ways that may be better, if any was tried.
void print_trials(const Json& report, std::ostream& out) {
  long trials = 0;
  double lost_s = 0.0, in_call_s = 0.0;
  for (const Json& process : report["process"])
    for (const Json& series : process["streams"]) {
      trials += series["trials"].get<long>();
      lost_s += series["lost_to_trials_s"].get<double>();
      in_call_s += series["in_call_s"].get<double>();
    }
  if (trials == 0) return;
  const double each_s = in_call_s / static_cast<double>(report["process"].size());
  out << "trials: " << trials << " call" << (trials > 1 ? "s" : "")
      << " by ways that might be better, which lost " << 1e3 * lost_s << " ms";
  if (each_s > 0.0) out << ", " << percent(lost_s / each_s) << " of the time in calls";
  out << "\n";
}

/// Calls that PAT only watched, all processes together.
void print_passed_on(const Json& report, std::ostream& out) {
  struct Sum {
    long calls = 0;
    double in_call_s = 0.0;
  };
  std::map<std::string, Sum> sums;
  for (const Json& process : report["process"])
    for (const Json& one : process["passed_on"]) {
      Sum& sum = sums[one["function"]];
      sum.calls += one["calls"].get<long>();
      sum.in_call_s += one["in_call_s"].get<double>();
    }
  if (sums.empty()) return;
  out << "watched and left to MPI, calls of all processes:\n";
  for (const auto& [function, sum] : sums)
    out << std::setw(10) << sum.calls << std::setw(14) << 1e3 * sum.in_call_s << " ms in  "
        << function << "\n";
}

/// Whom the roots of stars serve beside the others.
void print_slow_links(const Json& report, std::ostream& out) {
  for (const Json& process : report["process"])
    if (const auto slow = process["slow_links"].get<std::vector<int>>(); !slow.empty())
      out << "slow links: " << in_words(slow) << ", as rank " << process["rank"].get<int>()
          << " sees it, which serves them beside the others\n";
}

/// "3 calls" of something, if there are any.
void print_count(const Json& report, const char* field, const char* what, std::ostream& out) {
  long sum = 0;
  for (const Json& process : report["process"]) sum += process[field].get<long>();
  if (sum > 0) out << std::setw(10) << sum << " " << what << "\n";
}

}  // namespace

void print(const Json& report, std::ostream& out) {
  out << std::fixed << std::setprecision(3);
  out << "PAT report: " << report["processes"] << " processes, daemon "
      << percent(report["daemon_share"])
      << " of a core (data under way apart: " << report["daemon_moving_cpu_s"].get<double>()
      << " s)\n";
  if (!report["complete"].get<bool>())
    out << "the program ended without PAT_Finalize: this is what " << report["process"].size()
        << " of " << report["processes"] << " processes left, up to then\n";
  out << "auto goes by "
      << (report["calibration"] == ""
              ? "alpha and beta of a common network, not this one's: see `pat calibrate`"
              : report["calibration"].get<std::string>())
      << "\n";
  print_headline(report["analysis"], out);
  print_places(report, out);
  print_regions(report, out);
  print_mistakes(report, out);
  print_slow_links(report, out);
  print_series(report, out);
  print_trials(report, out);
  print_passed_on(report, out);
  print_count(report, "unmeasured_calls",
              "calls of single processes were not measured: their communicator is not part of "
              "PAT_Init's, or joins two groups",
              out);
  out << "calls: of one process of each communicator; in call: until a process left it, decision: "
         "what it waited\nfor one, all calls together, mean of the processes; below each line why, "
         "most calls first: reasons that\ndiffer in their numbers alone are one, the numbers are "
         "the latest\n";
}

}  // namespace pat::detail
