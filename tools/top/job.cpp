#include "tools/top/job.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>

#include "core/errors.hpp"
#include "core/live_socket.hpp"
#include "core/seconds.hpp"
#include "core/text.hpp"

namespace pat {
namespace {

constexpr auto patience = std::chrono::milliseconds(500);

/// A communicator, and a call on it.
using Group = std::pair<std::uint64_t, std::uint32_t>;
using CallKey = std::pair<Group, std::uint32_t>;

struct Visit {
  int rank;
  const LiveState::Past* call;
};

/// The calls of which all these processes that make them have told, each with who came when.
std::vector<std::vector<Visit>> joined(const std::vector<RankAnswer>& answers) {
  std::map<Group, std::set<int>> members;
  std::map<CallKey, std::vector<Visit>> visits;
  for (const RankAnswer& one : answers) {
    if (!one.state) continue;
    for (const LiveState::Past& call : one.state->past) {
      const Group group{call.group, call.communicator};
      members[group].insert(one.rank);
      visits[{group, call.number}].push_back({one.rank, &call});
    }
  }
  std::vector<std::vector<Visit>> calls;
  for (auto& [key, call] : visits)
    if (call.size() > 1 && call.size() == members[key.first].size())
      calls.push_back(std::move(call));
  return calls;
}

struct Sums {
  double late_s = 0.0, skew_s = 0.0, transfer_s = 0.0;
  int calls = 0;
};

/// Skew and transfer as in the report: of the time in a call, what passed before the last came,
/// and the rest.
void add(std::map<int, Sums>& sums, const std::vector<Visit>& call) {
  const auto arrival = [](const Visit& visit) { return visit.call->arrival_ns; };
  const std::int64_t first = arrival(*std::ranges::min_element(call, {}, arrival));
  const std::int64_t last = arrival(*std::ranges::max_element(call, {}, arrival));
  for (const Visit& visit : call) {
    Sums& sum = sums[visit.rank];
    const std::int64_t own = arrival(visit), exit = std::max(own, visit.call->exit_ns);
    const std::int64_t waited = std::min(exit, last) - own;
    sum.late_s += seconds(own - first);
    sum.skew_s += seconds(waited);
    sum.transfer_s += seconds(exit - own - waited);
    ++sum.calls;
  }
}

double span_of(const std::vector<std::vector<Visit>>& calls) {
  std::optional<std::int64_t> begin, end;
  for (const auto& call : calls)
    for (const Visit& visit : call) {
      begin = std::min(begin.value_or(visit.call->arrival_ns), visit.call->arrival_ns);
      end = std::max(end.value_or(visit.call->exit_ns), visit.call->exit_ns);
    }
  return begin ? seconds(*end - *begin) : 0.0;
}

/// Ranks of other machines, as far as some process here knows when they are to come.
void add_foretold(JobView& view, const LiveState& leader) {
  for (const LiveState::Foretold& call : leader.foretold)
    for (std::size_t i = 0; i < call.ranks.size(); ++i) {
      const auto here = [&](const RankView& row) { return row.rank == call.ranks[i]; };
      if (std::ranges::any_of(view.rank, here) || !call.half_width_s[i]) continue;
      RankView row;
      row.rank = call.ranks[i];
      row.late_s = call.offset_s[i];
      row.half_width_s = call.half_width_s[i];
      view.rank.push_back(row);
    }
}

[[noreturn]] void refuse_no_job(const std::string& job) {
  throw Error(ErrorKind::io,
              (job.empty() ? "no job of yours that can be looked at runs here"
                           : "no job '" + job + "' that can be looked at runs here") +
                  std::string(", start it with PAT_LIVE=1: PAT_LIVE=1 mpirun -n 4 ./app"));
}

/// What rank 0 says of ranks elsewhere: a line each.
void add_others(std::vector<RankAnswer>& answers, const std::string& text) {
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    LiveState state = read_live_state(line);
    if (state.silent_s)
      answers.push_back({state.rank, state.pid, false, std::nullopt});
    else
      answers.push_back({state.rank, state.pid, false, std::move(state)});
  }
}

/// In the order of ranks; of a rank with a socket here too what that says.
void keep_nearest(std::vector<RankAnswer>& answers) {
  std::ranges::stable_sort(answers, {},
                           [](const RankAnswer& one) { return std::pair(one.rank, !one.here); });
  const auto [first, last] = std::ranges::unique(answers, {}, &RankAnswer::rank);
  answers.erase(first, last);
}

/// Asks all jobs' processes, so that what those left that are gone is no job.
std::map<std::string, std::vector<RankAnswer>> ask_all(const std::string& job) {
  std::vector<LiveSocket> sockets = live_sockets();
  if (!job.empty()) std::erase_if(sockets, [&](const LiveSocket& s) { return s.job != job; });
  const auto texts = ask_live(sockets, patience);
  std::map<std::string, std::vector<RankAnswer>> jobs;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    if (!texts[i]) continue;
    std::vector<RankAnswer>& answers = jobs[sockets[i].job];
    if (sockets[i].rank == LiveSocket::others) {
      add_others(answers, *texts[i]);
      continue;
    }
    RankAnswer answer{sockets[i].rank, sockets[i].pid, true, std::nullopt};
    if (!texts[i]->empty()) answer.state = read_live_state(*texts[i]);
    answers.push_back(std::move(answer));
  }
  for (auto& [name, answers] : jobs) keep_nearest(answers);
  return jobs;
}

}  // namespace

std::optional<JobView> view_of(const std::string& job, const std::vector<RankAnswer>& answers) {
  JobView view{.job = job, .host = {}, .rank = {}, .decided = {}};
  const auto calls = joined(answers);
  std::map<int, Sums> sums;
  for (const auto& call : calls) add(sums, call);
  view.calls = calls.size();
  view.span_s = span_of(calls);
  for (const RankAnswer& one : answers) {
    RankView row{.rank = one.rank,
                 .pid = one.pid,
                 .here = one.here,
                 .state = one.state,
                 .silent = !one.state,
                 .late_s = {},
                 .half_width_s = {}};
    if (const auto sum = sums.find(one.rank); sum != sums.end()) {
      row.late_s = sum->second.late_s / sum->second.calls;
      if (view.span_s > 0.0) {
        row.skew_share = sum->second.skew_s / view.span_s;
        row.transfer_share = sum->second.transfer_s / view.span_s;
      }
    }
    view.rank.push_back(std::move(row));
  }
  for (const RankAnswer& one : answers) {
    if (!one.state) continue;
    if (one.here) view.host = one.state->host;
    view.ranks = one.state->ranks;
    add_foretold(view, *one.state);
    std::ranges::copy(one.state->decided, std::back_inserter(view.decided));
  }
  std::ranges::stable_sort(view.decided, std::greater{}, &LiveState::Decided::exit_ns);
  std::ranges::stable_sort(view.rank, {}, &RankView::rank);
  if (view.ranks == 0) return std::nullopt;
  return view;
}

std::optional<JobView> look_at(const std::string& job) {
  const auto names = [](const auto& jobs) {
    return join(jobs, ", ", [](const auto& one) { return one.first; });
  };
  const auto jobs = ask_all(job);
  if (jobs.empty()) {
    const auto others = ask_all("");
    if (others.empty()) refuse_no_job(job);
    throw Error(ErrorKind::io, "no job '" + job + "' runs here, but " + names(others) +
                                   ", give one of these or leave --job out");
  }
  if (jobs.size() > 1)
    throw Error(ErrorKind::argument,
                "several jobs run here, choose one with --job: " + names(jobs));
  return view_of(jobs.begin()->first, jobs.begin()->second);
}

}  // namespace pat
