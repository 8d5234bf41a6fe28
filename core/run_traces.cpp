#include "core/run_traces.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "core/errors.hpp"
#include "core/journal_files.hpp"

namespace pat {
namespace {

constexpr std::string_view beside = "other processes met in ";
constexpr std::string_view members = "processes, by their rank in the session:";

/// What stands behind `begin` in the remarks of the trace, one an element.
std::vector<std::string> remarks_after(const Trace& trace, std::string_view begin) {
  std::vector<std::string> found;
  for (const std::string& remark : trace.remarks)
    if (remark.starts_with(begin)) found.push_back(remark.substr(begin.size()));
  return found;
}

/// The ranks in the session; where nothing is said, the trace is of all. `path`: of the trace.
std::vector<int> group_of(const Trace& trace, const std::string& path) {
  std::vector<int> ranks(static_cast<std::size_t>(trace.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  const std::vector<std::string> said = remarks_after(trace, members);
  if (said.empty()) return ranks;
  std::istringstream text(said.front());
  std::vector<int> named;
  for (int rank = 0; text >> rank;) named.push_back(rank);
  constexpr int most = 1 << 20;  // all that is said of a run is one line a rank at least
  const bool in_order = std::ranges::is_sorted(named, std::less_equal<>());
  if (named.size() != ranks.size() || !in_order || named.front() < 0 || named.back() >= most)
    throw Error(ErrorKind::io, "'" + path + "' names other processes than its " +
                                   std::to_string(trace.ranks) + " columns have");
  return named;
}

}  // namespace

std::string newer_journals(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none, no_trace;
  const auto journal = fs::last_write_time(journal_path(path, 0), none);
  const auto trace = fs::last_write_time(path, no_trace);
  if (none || (!no_trace && trace >= journal)) return "";
  return "'" + path + "' " +
         (no_trace ? "is not there, but what lies beside it is"
                   : "is older than what lies beside it,") +
         " of a run that goes on or was interrupted: `pat trace join " + path + " -o " +
         before_ending(path, ".joined") + "` makes the trace of what it has recorded";
}

std::string before_ending(const std::string& path, const std::string& addition) {
  std::filesystem::path stem = std::filesystem::path(path).replace_extension();
  if (path.ends_with(".talp.json")) stem.replace_extension();
  return stem.string() + addition + path.substr(stem.string().size());
}

std::string members_remark(const std::vector<int>& ranks) {
  std::string text(members);
  for (const int rank : ranks) text += " " + std::to_string(rank);
  return text;
}

std::size_t write_traces(const JoinedJournals& joined, const std::string& path,
                         const std::function<void(const Trace&, const std::string&)>& write) {
  constexpr std::size_t most = 64;
  const auto numbered = [&](std::size_t number) {
    return number == 0 ? path : before_ending(path, "-" + std::to_string(number + 1));
  };
  const std::size_t written = std::min(most, joined.traces.size());
  for (std::size_t i = 0; i < written; ++i) {
    Trace trace = joined.traces[i];
    trace.complete = joined.complete;
    for (std::size_t other = 1; i == 0 && other < written; ++other)
      trace.remarks.push_back(std::string(beside) +
                              std::filesystem::path(numbered(other)).filename().string());
    write(trace, numbered(i));
  }
  return joined.traces.size() - written;
}

RunTraces read_traces(const std::string& path) {
  return with_traces_beside(read_trace(path), path);
}

RunTraces with_traces_beside(Trace first, const std::string& path) {
  RunTraces run;
  std::map<std::vector<int>, std::string> files;  // a run writes one trace a group of processes
  const auto add = [&](Trace trace, const std::string& from) {
    std::vector<int> group = group_of(trace, from);
    if (const auto [taken, is_new] = files.emplace(group, from); !is_new) {
      run.twice.push_back("'" + from + "' is of the same processes as '" + taken->second + "'");
      return;
    }
    run.ranks = std::max(run.ranks, group.back() + 1);
    run.groups.push_back(std::move(group));
    run.traces.push_back(std::move(trace));
  };
  add(std::move(first), path);
  std::set<std::string> seen = {std::filesystem::path(path).filename().string()};
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const std::string& name : remarks_after(run.traces.front(), beside)) {
    const std::string other = (folder / std::filesystem::path(name).filename()).string();
    if (!seen.insert(std::filesystem::path(name).filename().string()).second) continue;
    std::error_code ignored;
    if (!std::filesystem::exists(other, ignored)) {
      run.missing.push_back(other);
      continue;
    }
    if (!std::filesystem::is_regular_file(other, ignored)) {
      run.unreadable.push_back("'" + other + "' is no file");
      continue;
    }
    try {
      add(read_trace(other), other);
    } catch (const Error& error) {
      run.unreadable.emplace_back(error.what());
    }
  }
  return run;
}

}  // namespace pat
