#include "libpat/report/report.hpp"

#include <spdlog/spdlog.h>

#include <iostream>

#include "core/errors.hpp"
#include "core/whole_file.hpp"
#include "libpat/mpi/settings.hpp"
#include "libpat/report/gather.hpp"
#include "libpat/report/json.hpp"
#include "libpat/report/text.hpp"
#include "libpat/report/trace.hpp"
#include "libpat/session/snapshot.hpp"

namespace pat::detail {

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
  const std::vector<std::string> processes = gather_texts(now, describe_process(now));
  if (now.rank != 0) return;
  const auto write_report = [&] {
    if (report_path.empty()) return;
    const auto report = summary(now, processes, trace);
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
