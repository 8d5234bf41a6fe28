#include "tools/trace/join.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/viewers/view.hpp"
#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/journal.hpp"
#include "core/journal_files.hpp"
#include "core/run_traces.hpp"
#include "core/trace.hpp"
#include "core/whole_file.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

namespace fs = std::filesystem;

struct JoinCommand {
  std::string trace, out;
};

std::string journal_of(const fs::path& path) {
  auto text = read_whole_file(path.string());
  if (!text) throw Error(ErrorKind::io, "the journal '" + path.string() + "' cannot be read");
  return std::move(*text);
}

void run(const JoinCommand& command) {
  const fs::path trace(command.trace);
  const fs::path folder = trace.has_parent_path() ? trace.parent_path() : fs::path(".");
  JournalJoin join(command.trace + ".rank*");
  const std::vector<fs::path> journals = journals_beside(trace);
  for (const fs::path& one : journals) join.add(journal_of(one));
  std::error_code ignored;
  if (journals.empty() && fs::exists(trace, ignored)) {
    read_trace(command.trace);  // says what else it is
    throw Error(ErrorKind::io, "there is nothing to join, '" + command.trace +
                                   "' is all that its run recorded; `pat trace show` says what");
  }
  if (journals.empty())
    throw Error(ErrorKind::io, "there is no '" + folder.string() + "/" +
                                   journal_path(trace.filename().string(), 0) +
                                   "' or other journal of a process, give the path that PAT_TRACE "
                                   "named");
  const JoinedJournals joined = join.result();
  if (joined.traces.empty())
    throw Error(ErrorKind::io, "no call was recorded by all of its processes, of " +
                                   std::to_string(joined.ranks) + " there are " +
                                   std::to_string(journals.size()) + " journals");
  const std::string out = command.out.empty() ? command.trace : command.out;
  const std::size_t left_out =
      write_traces(joined, out, [&](const Trace& one, const std::string& file) {
        write_trace_or_view(one, file, {.predictor = Config{}.predictor});
      });
  std::cout << out << ": " << joined.traces.front().iterations() << " iterations of "
            << joined.traces.front().ranks << " ranks";
  if (joined.traces.size() > 1)
    std::cout << "; " << joined.traces.size() - left_out - 1 << " traces of other processes beside";
  std::cout << "\n";
}

}  // namespace

void add_trace_join(CLI::App& trace) {
  CLI::App* app = trace.add_subcommand(
      "join", "Make the trace of a run that was interrupted from what its processes left");
  auto command = std::make_shared<JoinCommand>();
  app->add_option("trace", command->trace,
                  "The path that PAT_TRACE named: run.trace for run.trace.rank0 ...")
      ->required();
  app->add_option(output_names, command->out, "File to write, if another than that");
  app->callback([command] { run(*command); });
}

}  // namespace pat
