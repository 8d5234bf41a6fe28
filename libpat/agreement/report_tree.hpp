#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "libpat/agreement/call_order.hpp"
#include "libpat/agreement/decision.hpp"

namespace pat::detail {

/// The way of reports to the leader where there are very many processes: each passes its own on
/// with those of the processes below, in one message, so that the leader takes in a few messages a
/// phase and not one from each. Ranks are laid out as a heap that begins at the leader. No MPI
/// here.
struct ReportTree {
  int ranks = 1, leader = 0, fan = 16;

  /// Who is told by `rank`, which is not the leader.
  int parent(int rank) const { return at((place(rank) - 1) / fan); }
  /// How many tell their reports by `rank`, itself among them.
  int below(int rank) const {
    int count = 0;
    std::int64_t first = place(rank), width = 1;
    for (; first < ranks; first = first * fan + 1, width *= fan)
      count += static_cast<int>(std::min<std::int64_t>(width, ranks - first));
    return count;
  }

 private:
  std::int64_t place(int rank) const { return (rank - leader + ranks) % ranks; }
  int at(std::int64_t place) const { return static_cast<int>((place + leader) % ranks); }
};

/// A report and whose it is: a rank of the session.
struct ForwardedReport {
  std::int32_t from = 0;
  std::uint32_t unused = 0;
  Report report;
};
static_assert(sizeof(ForwardedReport) == 64);

/// The reports that a message holds, in a session of so many ranks. Throws Error(internal) if it
/// holds none, part of one, or one of a rank that there is not.
std::vector<ForwardedReport> read_reports(const std::byte* message, std::size_t bytes, int ranks);

/// Reports of one stream that wait to be passed on: the latest of each process.
class HeldReports {
 public:
  /// A later report of the same process takes the place of the one before, which tells nothing
  /// more; what was measured of past calls is in both.
  void put(int from, const Report& report, std::int64_t now_ns) {
    if (held_.empty()) since_ns_ = now_ns;
    const auto [known, is_new] = held_.try_emplace(from, report);
    if (!is_new && !is_before(report.call, known->second.call)) known->second = report;
  }
  /// When they must go on; nothing while there are none. At once if all of `below` processes are
  /// there.
  std::optional<std::int64_t> due_ns(int below, std::int64_t hold_ns) const {
    if (held_.empty()) return std::nullopt;
    return static_cast<int>(held_.size()) >= below ? since_ns_ : since_ns_ + hold_ns;
  }
  std::vector<ForwardedReport> take() {
    std::vector<ForwardedReport> reports;
    for (const auto& [from, report] : held_) reports.push_back({from, 0, report});
    held_.clear();
    return reports;
  }

 private:
  std::map<int, Report> held_;
  std::int64_t since_ns_ = 0;
};

}  // namespace pat::detail
