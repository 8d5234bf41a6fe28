// pat report: who waited for whom in a run, what it cost and what would help, as a page or as text.

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/findings.hpp"
#include "analysis/headline.hpp"
#include "analysis/page.hpp"
#include "analysis/report_shape.hpp"
#include "analysis/words.hpp"
#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/printable.hpp"
#include "core/run_traces.hpp"
#include "core/whole_file.hpp"
#include "predictors/predictor.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

struct ReportCommand {
  std::vector<std::string> files;
  std::string out, format = "text", predictor = Config{}.predictor;
};

/// Lists in lists deeper than in any report: what is printed takes stack by its depth.
constexpr int most_deep = 64;

/// A report as a run wrote it.
Json read_report(const std::string& path, std::istream& file) {
  bool too_deep = false;
  Json report = Json::parse(
      file,
      [&](int depth, Json::parse_event_t, const Json&) {
        too_deep |= depth > most_deep;
        return !too_deep;
      },
      false);
  if (too_deep)
    throw Error(ErrorKind::io, "'" + path + "' has lists in lists more than " +
                                   std::to_string(most_deep) +
                                   " deep, give what PAT_REPORT=run.json writes");
  if (report.is_discarded() || !is_report(report))
    throw Error(ErrorKind::io, "'" + path +
                                   "' is no report with an analysis, give a trace or what "
                                   "PAT_REPORT=run.json writes");
  if (const auto fault = fault_of(report))
    throw Error(ErrorKind::io, "'" + path +
                                   "' lacks what a report shows, or has it in another form (" +
                                   *fault + "), give what PAT_REPORT=run.json writes");
  return report;
}

/// The report of a run: the one that it wrote, or what its traces say.
Json report_of(const std::string& path, const std::string& predictor) {
  if (const std::string newer = newer_journals(path); !newer.empty())
    std::cerr << "pat: " << newer << "\n";
  std::ifstream file = open_to_read(path);
  const auto first = (file >> std::ws).peek();
  if (first == '{') return read_report(path, file);
  if (first == '<')
    throw Error(ErrorKind::io,
                "'" + path +
                    "' is a page already, open it in a browser, or give the trace or JSON "
                    "report that it was made of");
  RunTraces run = with_traces_beside(parse_trace(file, path), path);
  const auto without = [](const std::string& why) {
    std::cerr << "pat: " << printable(why) << ", the report is without it\n";
  };
  for (const std::string& missing : run.missing)
    without("'" + missing + "', of other processes of this run, is not beside '" + path + "'");
  for (const std::string& why : run.unreadable) without("of other processes of this run: " + why);
  for (const std::string& which : run.twice) without(which);
  const Trace& first_trace = run.traces.front();
  Json report = {
      {"processes", run.ranks}, {"complete", first_trace.complete}, {"origin", first_trace.origin}};
  const RunRecord record = record_of(std::move(run), predictor);
  report["network"] = {{"alpha_s", record.network.alpha_s},
                       {"beta_s_per_byte", record.network.beta_s_per_byte}};
  report["analysis"] = findings_of(record);
  return report;
}

/// One line a run, each beside the first.
void print_side_by_side(const std::vector<NamedReport>& runs, std::ostream& out) {
  const auto cell = [&](const std::string& text) { out << std::setw(12) << text; };
  const auto seconds = [](const Json& found, const char* key) {
    return found.contains(key) && found[key].is_number() ? seconds_text(found[key]) : "unknown";
  };
  for (const char* title :
       {"wall time", "to first", "elapsed", "skew", "share", "transfer", "gained"})
    cell(title);
  out << "  run\n";
  const Json& first = runs.front().report["analysis"];
  const double first_s =
      first.value("wall_s", Json()).is_number() ? first["wall_s"].get<double>() : 0;
  for (const NamedReport& one : runs) {
    const Json& found = one.report["analysis"];
    cell(seconds(found, "wall_s"));
    const bool known = first_s > 0.0 && found.value("wall_s", Json()).is_number();
    cell(known ? percent_text(found["wall_s"].get<double>() / first_s) : "unknown");
    cell(seconds(found, "elapsed_s"));
    cell(seconds(found, "skew_s"));
    const Json& share = found["skew_share"];
    cell(share.is_null() ? "unknown" : percent_text(share));
    cell(seconds(found, "transfer_s"));
    cell(seconds(found, "gained_s"));
    out << "  " << printable(one.name) << "\n";
  }
  out << "wall time: of the run (of a trace: of what it holds); elapsed: in what was recorded; "
         "skew and "
         "transfer:\nof all ranks; gained: against MPI's own collectives, elapsed\n";
}

void run(const ReportCommand& command) {
  make_predictor(command.predictor);  // its sentence comes before long work
  if (!command.out.empty()) {
    if (const auto ending = std::filesystem::path(command.out).extension();
        ending != ".html" && ending != ".htm")
      throw Error(ErrorKind::argument, "-o is '" + command.out +
                                           "' and what is written is a page, end its name in "
                                           ".html; --format json prints the numbers");
    whole_file_place(command.out);
    for (const std::string& file : command.files) refuse_replacing(file, command.out);
  }
  std::vector<NamedReport> runs;
  for (const std::string& file : command.files)
    runs.push_back({file, report_of(file, command.predictor)});
  if (!command.out.empty()) {
    write_whole_file(command.out, page_of(runs));
    std::cout << command.out << ": " << runs.size() << (runs.size() > 1 ? " runs\n" : " run\n");
    return;
  }
  if (command.format == "json") {
    Json all = Json::array();
    for (const NamedReport& one : runs)
      all.push_back({{"file", one.name}, {"analysis", one.report["analysis"]}});
    std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    return;
  }
  if (runs.size() > 1) print_side_by_side(runs, std::cout);
  for (const NamedReport& one : runs) {
    if (runs.size() > 1) std::cout << "\n" << printable(one.name) << "\n";
    if (one.report.value("complete", Json()) == false)
      std::cout << "The program ended early: this is what was recorded up to then.\n";
    print_headline(one.report["analysis"], std::cout);
    if (!one.report.contains("process") && !one.report["analysis"]["recoverable_skew_s"].is_null())
      std::cout
          << "bounds and simulations take messages to cost what they do on a common network: a "
             "trace does\nnot say what this run's cost, its JSON report does\n";
  }
}

}  // namespace

PAT_SUBCOMMAND(report) {
  CLI::App* report = app.add_subcommand(
      "report", "Who waited for whom in a run, what it cost, and what would help");
  auto command = std::make_shared<ReportCommand>();
  report
      ->add_option("file", command->files,
                   "A trace or JSON report of each run, as PAT_TRACE=run.trace, "
                   "PAT_REPORT=run.json or pat run --report "
                   "run.json writes it; several stand side by side")
      ->required();
  report->add_option(output_names, command->out,
                     "Write an HTML page, which needs no network, in place of the text");
  takes_format(report->add_option("--format", command->format, "text or json, without -o"),
               {"text", "json"})
      ->capture_default_str();
  report
      ->add_option("--predictor", command->predictor,
                   "The model that forecasts are replayed with, of traces")
      ->capture_default_str();
  report->callback([command, report] {
    refuse_empty_values(*report);
    run(*command);
  });
}

}  // namespace pat
