#include "libpat/report/report.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

#include "analysis/page.hpp"
#include "analysis/viewers/view.hpp"
#include "core/errors.hpp"
#include "core/run_traces.hpp"
#include "core/whole_file.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/clock_sync.hpp"
#include "libpat/mpi/crowding.hpp"
#include "libpat/mpi/gather_texts.hpp"
#include "libpat/mpi/private_communicator.hpp"
#include "libpat/mpi/settings.hpp"
#include "libpat/report/claim.hpp"
#include "libpat/report/json.hpp"
#include "libpat/report/mistakes.hpp"
#include "libpat/report/text.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/snapshot.hpp"

namespace pat::detail {
namespace {

void write_traces(const std::string& path, const Config& config, JoinedJournals joined) {
  if (joined.traces.empty()) {
    spdlog::warn("the trace {} is empty: no collective was called and no phase was computed", path);
    joined.traces.emplace_back().ranks = std::max(1, joined.ranks);
    joined.groups.emplace_back();
  }
  const std::size_t left_out =
      pat::write_traces(joined, path, [&](const Trace& trace, const std::string& file) {
        write_trace_or_view(trace, file, {.predictor = config.predictor});
      });
  if (left_out > 0)
    spdlog::warn("{} of {} groups of processes have no trace, {} is for those with most calls",
                 left_out, joined.groups.size(), path);
}

void write_report(const std::string& path, const Config& config, const JoinedJournals& joined) {
  const auto report = summary(config, joined);
  if (path == "stderr")
    print(report, std::cerr);
  else if (path.ends_with(".html"))
    write_whole_file(path, page_of({{path, report}}));
  else
    write_whole_file(path, report.dump(2) + "\n");
}

/// Compares the clocks once more. Collective; nothing where the processes share one.
void note_drift(MPI_Comm session_comm, Session& session) {
  MPI_Comm own = private_communicator(session_comm);  // on the session's the daemon receives
  const auto now = compare_clocks(own);
  check(PMPI_Comm_free(&own));
  if (!now || session.rank() == 0) return;
  const SessionClock& clock = session.regions.clock();
  const std::int64_t time_ns = now_ns();
  session.under_lock([&](Locked&) {
    session.journal->note_drift(clock.begin_ns(), time_ns + clock.journal_offset_ns(),
                                now->ahead_ns(time_ns) - clock.journal_offset_ns());
  });
}

std::string path_in(const std::string& path, int session) {
  return session == 1 ? path : before_ending(path, fmt::format(".session{}", session));
}

}  // namespace

void check_outputs(const Config& config) {
  const auto check_place = [](const char* setting, const std::string& path) {
    if (!path.empty()) use_setting(setting, path, [&] { whole_file_place(path); });
  };
  check_place("PAT_TRACE", config.trace);
  if (is_view(config.trace))
    use_setting("PAT_TRACE", config.trace, [&] { check_view(config.trace); });
  if (config.report != "stderr") check_place("PAT_REPORT", config.report);
  if (!config.report.empty() && config.report == config.trace)
    use_setting("PAT_REPORT", config.report, [] {
      throw Error(ErrorKind::config, "PAT_TRACE names the same file, give them two");
    });
}

void keep_to_own_files(MPI_Comm comm, Config& config) {
  int session = 1, rank = 0;
  check(PMPI_Comm_rank(comm, &rank));
  const std::string base = journal_base(config);
  std::string whose = "an earlier session of this program";
  const auto is_free = [&] {
    if (!claim_journals(path_in(base, session))) {
      whose = "another session, which still runs";
      return false;
    }
    return std::ranges::none_of(std::array{config.trace, config.report}, [&](const auto& path) {
      return !path.empty() && path != "stderr" && is_of_this_run(path_in(path, session));
    });
  };
  if (rank == 0 && !base.empty())
    while (!is_free()) {
      give_up_claim();
      ++session;
    }
  if (rank == 0 && !base.empty())
    if (const std::string told = put_older_journals_aside(path_in(base, session)); !told.empty())
      spdlog::warn("{}", told);
  check(PMPI_Bcast(&session, 1, MPI_INT, 0, comm));
  std::uint64_t claimant = this_kernel();
  check(PMPI_Bcast(&claimant, 1, MPI_UINT64_T, 0, comm));
  note_claimant(claimant != 0 && claimant == this_kernel());
  for (std::string* path : {&config.trace, &config.report}) {
    if (path->empty() || *path == "stderr") continue;
    if (rank == 0 && session > 1)
      spdlog::warn("{} is of {}, this one writes {}", *path, whose, path_in(*path, session));
    *path = path_in(*path, session);
  }
}

void write_trace_and_report(const Config& config, const JoinedJournals& joined) {
  try {
    if (!config.trace.empty()) write_traces(config.trace, config, joined);
  } catch (const Error& error) {  // a disk too full for the one may have room for the other
    spdlog::error("{}", error.what());
    if (!config.report.empty()) write_report(config.report, config, joined);
    throw;
  }
  if (!config.report.empty()) write_report(config.report, config, joined);
}

std::string summary_line(Locked& locked, Session& session) {
  return journal_summary(describe_process(take_snapshot(locked, session)));
}

void write_trace_and_report(Session& session) {
  const MPI_Comm comm = session.negotiation.communicator();
  warn_of_mistakes(comm, session.rank(), session.regions.mistakes());
  if (session.journal == nullptr) return;
  note_drift(comm, session);
  std::string summary;
  session.journal->write_down([&](const auto& take) {
    session.under_lock([&](Locked& locked) {
      session.following.note_last_events(locked);
      summary = summary_line(locked, session);
      take();
    });
    return true;
  });
  JournalJoin join("what the processes recorded");
  for (std::string& text : gather_texts(comm, session.journal->text() + summary)) {
    join.add(text);
    text = {};
  }
  if (session.rank() != 0) return;
  if (session.config.trace.empty() && session.config.report.empty())
    spdlog::warn(
        "PAT_TRACE or PAT_REPORT is not set on rank 0, which would write it: set it on all");
  write_trace_and_report(session.config, join.result());
}

}  // namespace pat::detail
