// pat trace: generate, show, import and export traces of arrivals; how to record one.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/viewers/otf2_import.hpp"
#include "core/errors.hpp"
#include "core/printable.hpp"
#include "core/progress_bar.hpp"
#include "core/run_traces.hpp"
#include "core/text.hpp"
#include "core/trace.hpp"
#include "core/whole_file.hpp"
#include "measure/command_line.hpp"
#include "tools/study/describe.hpp"
#include "tools/study/generate.hpp"
#include "tools/study/plot.hpp"
#include "tools/subcommand.hpp"
#include "tools/trace/export.hpp"
#include "tools/trace/join.hpp"
#include "tools/trace/plot_timeline.hpp"
#include "tools/trace/table.hpp"

namespace pat {
namespace {

using study::Description;
using study::GeneratorOptions;

// ---- generate

struct GenerateCommand {
  std::string kind, out;
  GeneratorOptions options;
};

std::string kinds() {
  std::string text = "Kinds:";
  for (const study::Generator& generator : study::generators())
    text += "\n  " + generator.name +
            std::string(std::max<std::size_t>(1, 14 - generator.name.size()), ' ') + generator.idea;
  return text;
}

void run_generate(const GenerateCommand& command) {
  Trace trace = study::generate(command.kind, command.options);
  const GeneratorOptions& o = command.options;
  std::ostringstream origin;
  origin << "pat trace generate " << command.kind << " -P " << o.ranks << " -n " << o.iterations
         << " --seed " << o.seed << " --base " << o.base_s << " --spread " << o.spread_s
         << " --noise " << o.noise;
  for (const double c : o.ar) origin << " --ar " << c;
  for (const double c : o.ma) origin << " --ma " << c;
  origin << " --period " << o.period << " --phase " << o.phase;
  if (o.expected) origin << " --expected";
  trace.origin = origin.str();
  write_trace(trace, command.out);
  std::cout << command.out << ": " << o.iterations << " iterations of " << o.ranks
            << " ranks, seed " << o.seed << "\n";
}

void add_generate(CLI::App& trace) {
  CLI::App* app = trace.add_subcommand("generate", "Make a seeded trace");
  auto command = std::make_shared<GenerateCommand>();
  app->add_option("kind", command->kind, "One of the kinds that --help lists")->required();
  app->add_option(output_names, command->out, "The file to write")->required();
  app->add_option("-P,--ranks", command->options.ranks, "Ranks")->capture_default_str();
  app->add_option("-n,--iterations", command->options.iterations, "Iterations")
      ->capture_default_str();
  measure::takes_seed(
      app->add_option("--seed", command->options.seed, "Seed")->capture_default_str());
  measure::takes_seconds(app->add_option("--base", command->options.base_s,
                                         "Computing time of all ranks, seconds or such as 20ms"))
      ->capture_default_str();
  measure::takes_seconds(app->add_option("--spread", command->options.spread_s,
                                         "How far apart ranks are, seconds or such as 20ms"))
      ->capture_default_str();
  app->add_option("--noise", command->options.noise,
                  "Change from iteration to iteration over spread")
      ->capture_default_str();
  app->add_option("--ar", command->options.ar, "Autoregressive coefficients, comma between them")
      ->delimiter(',')
      ->capture_default_str();
  app->add_flag("--expected", command->options.expected,
                "Of helsim: the best forecasts instead, from what was before");
  app->add_option("--ma", command->options.ma, "Moving average coefficients, comma between them")
      ->delimiter(',');
  app->add_option("--period", command->options.period, "Period in iterations")
      ->capture_default_str();
  app->add_option("--phase", command->options.phase, "Iterations between changes")
      ->capture_default_str();
  app->footer(kinds());
  app->callback([command] { run_generate(*command); });
}

// ---- show

struct ShowCommand {
  std::string file, format = "table", plot, plot_imbalance, plot_timeline;
  int lags = 40, place = 0, timeline_from = 0, timeline_calls = 8;
};

void show_table(const Trace& trace, const Description& d) {
  const auto row = [](const char* label) -> std::ostream& {
    return std::cout << std::left << std::setw(26) << label;
  };
  row("ranks") << d.ranks << "\n";
  row("iterations") << d.iterations
                    << (trace.complete ? "" : " (open: the program did not close it)") << "\n";
  if (!trace.region.empty()) row("region") << printable(trace.region) << "\n";
  if (!trace.clock.empty()) row("clock") << printable(trace.clock) << "\n";
  if (!trace.origin.empty()) row("origin") << printable(trace.origin) << "\n";
  for (const std::string& remark : trace.remarks) row("") << printable(remark) << "\n";
  for (std::size_t p = 0; p < trace.places.size(); ++p)
    row(p == 0 ? "places" : "") << p + 1 << ": " << printable(trace.places[p]) << " ("
                                << std::count(trace.place.begin(), trace.place.end(),
                                              static_cast<int>(p))
                                << " iterations)\n";
  if (trace.places.size() > 1) row("") << "what follows mixes them; --place N shows one\n";
  for (const Trace::Hint& hint : trace.hints) row("hint") << printable(hint.name) << "\n";
  for (const Trace::Edge& edge : trace.edges) row("edge at") << edge.fraction << "\n";
  row("computing times") << (trace.computing_s.empty() ? "not recorded" : "recorded") << "\n";
  std::cout << std::setprecision(4);
  row("mean arrival") << 1e3 * d.mean_arrival_s << " ms\n";
  row("imbalance (mean, max)") << 1e3 * d.mean_imbalance_s << " ms, " << 1e3 * d.max_imbalance_s
                               << " ms\n";
  row("imbalance factor") << d.imbalance_factor << " (latest over mean arrival)\n";
  row("shape (skewness)") << d.skewness
                          << (d.skewness > 0.5    ? " (few late)"
                              : d.skewness < -0.5 ? " (few early)"
                                                  : " (early and late alike)")
                          << "\n";
  row("deviation within a rank") << 1e3 * d.within_rank_s << " ms\n";
  row("deviation between ranks") << 1e3 * d.between_ranks_s << " ms\n";
  row("order kept") << d.order_persistence << " (Kendall's tau of neighbouring iterations)\n";
  row("runs test") << "z = " << d.runs_z << " on average; " << 100.0 * d.serial_share
                   << " % of ranks are serially correlated (5 % level)\n";
  if (d.autocorrelation.size() < 2) return;  // one iteration
  row("autocorrelation");
  for (std::size_t lag = 1; lag < d.autocorrelation.size() && lag <= 10; ++lag)
    std::cout << (lag > 1 ? " " : "") << std::setprecision(2) << d.autocorrelation[lag];
  std::cout << " (lags 1 to " << std::min<std::size_t>(10, d.autocorrelation.size() - 1) << ")\n";
}

std::vector<std::string> hint_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const Trace::Hint& hint : trace.hints) names.push_back(hint.name);
  return names;
}

std::vector<double> edge_fractions(const Trace& trace) {
  std::vector<double> fractions;
  for (const Trace::Edge& edge : trace.edges) fractions.push_back(edge.fraction);
  return fractions;
}

nlohmann::json show_json(const Trace& trace, const Description& d) {
  return {{"ranks", d.ranks},
          {"iterations", d.iterations},
          {"complete", trace.complete},
          {"places", trace.places},
          {"hints", hint_names(trace)},
          {"edges", edge_fractions(trace)},
          {"region", trace.region},
          {"clock", trace.clock},
          {"origin", trace.origin},
          {"mean_arrival_s", d.mean_arrival_s},
          {"mean_imbalance_s", d.mean_imbalance_s},
          {"max_imbalance_s", d.max_imbalance_s},
          {"imbalance_factor", d.imbalance_factor},
          {"imbalance_factors", d.imbalance_factors},
          {"imbalances_s", d.imbalances_s},
          {"skewness", d.skewness},
          {"within_rank_s", d.within_rank_s},
          {"between_ranks_s", d.between_ranks_s},
          {"order_persistence_tau", d.order_persistence},
          {"runs_test_z", d.runs_z},
          {"serially_correlated_share", d.serial_share},
          {"autocorrelation", d.autocorrelation}};
}

/// "run, before PAT_Gather, 8 ranks" of run.trace.
std::string title_of(const Trace& trace, const std::string& file) {
  return std::filesystem::path(file).stem().string() +
         (trace.region.empty() ? "" : ", " + trace.region) + ", " + std::to_string(trace.ranks) +
         " ranks";
}

/// Autocorrelogram of the ranks' mean, with the band in which white noise stays (seed 004 App. B).
void plot_autocorrelation(const Description& d, const std::string& title, const std::string& path) {
  std::ostringstream script;
  const double band = 1.96 / std::sqrt(static_cast<double>(d.iterations));
  script << "$r << E\n";
  for (std::size_t lag = 0; lag < d.autocorrelation.size(); ++lag)
    script << lag << " " << d.autocorrelation[lag] << "\n";
  const double most = std::max(1.05, 1.05 * band);
  script << "E\nset title " << study::quoted(title)
         << "\nset xlabel 'lag (iterations)'\nset ylabel 'autocorrelation, mean over ranks'\n"
         << "set yrange [" << -most << ":" << most
         << "]\nset xrange [-0.5:" << d.autocorrelation.size()
         << "]\nset boxwidth 0.4\nset style fill solid 0.8\n"
         << "plot " << band << " lc rgb '#b03030' dt 2 title '95 % of white noise, one rank', "
         << -band << " lc rgb '#b03030' dt 2 notitle, $r with boxes lc rgb '#30609f' notitle\n";
  study::plot(script.str(), path, 900, 450);
}

/// Latest over mean arrival of each iteration (seed 004 Fig. 3).
void plot_imbalance(const Description& d, const std::string& title, const std::string& path) {
  std::ostringstream script;
  script << "$f << E\n";
  for (std::size_t i = 0; i < d.imbalance_factors.size(); ++i)
    script << i << " " << d.imbalance_factors[i] << "\n";
  script << "E\nset title " << study::quoted(title)
         << "\nset xlabel 'iteration'\nset ylabel 'imbalance factor (latest over mean arrival)'\n"
         << "set xrange [-0.5:" << d.imbalance_factors.size() << "]\n"
         << "plot $f with linespoints pt 7 ps 0.3 lc rgb '#30609f' notitle, " << d.imbalance_factor
         << " lc rgb '#b03030' dt 2 title 'mean'\n";
  study::plot(script.str(), path, 900, 450);
}

void run_show(const ShowCommand& command) {
  Trace trace = read_trace(command.file);
  if (const std::string newer = newer_journals(command.file); !newer.empty())
    std::cerr << "pat: " << newer << "\n";
  if (command.place > static_cast<int>(trace.places.size()))
    throw Error(ErrorKind::argument, "--place is " + std::to_string(command.place) +
                                         ", the trace '" + command.file + "' has " +
                                         std::to_string(trace.places.size()) + " places");
  if (command.place > 0) trace = at_place(trace, command.place - 1);
  if (trace.iterations() == 0)
    throw Error(ErrorKind::io, "the trace '" + command.file + "' has no iteration");
  const Description d = study::describe(trace, command.lags);
  const std::string title = title_of(trace, command.file);
  if (!command.plot.empty()) plot_autocorrelation(d, title, command.plot);
  if (!command.plot_imbalance.empty()) plot_imbalance(d, title, command.plot_imbalance);
  if (!command.plot_timeline.empty())
    plot_timeline(trace, command.timeline_from, command.timeline_calls, title,
                  command.plot_timeline);
  if (command.format == "json") {
    std::cout << show_json(trace, d).dump(2) << "\n";
  } else if (command.format == "csv") {
    std::vector<std::string> names, values;
    const nlohmann::json all = show_json(trace, d);
    for (const auto& [name, value] : all.items()) {
      if (!value.is_number()) continue;
      names.push_back(name);
      values.push_back(value.dump());
    }
    std::cout << join(names, ",") << "\n" << join(values, ",") << "\n";
  } else {
    show_table(trace, d);
  }
}

void add_show(CLI::App& trace) {
  CLI::App* app =
      trace.add_subcommand("show", "Shape, imbalance, autocorrelation and runs test of a trace");
  auto command = std::make_shared<ShowCommand>();
  app->add_option("file", command->file, trace_argument)->required();
  takes_format(app->add_option("--format", command->format, "table, json or csv"),
               {"table", "json", "csv"})
      ->capture_default_str();
  app->add_option("--plot", command->plot, "Write the autocorrelogram to a .png or .svg");
  app->add_option("--plot-imbalance", command->plot_imbalance,
                  "Write the imbalance factor over the iterations to a .png or .svg");
  app->add_option("--plot-timeline", command->plot_timeline,
                  "Write who computes, waits and has data moved, and when, to a .png or .svg");
  app->add_option("--timeline-from", command->timeline_from,
                  "First call of the timeline, from 0 on")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app->add_option("--timeline-calls", command->timeline_calls, "Calls in the timeline")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_option("--place", command->place,
                  "Only this one of the places that the trace names (default: all)")
      ->check(CLI::Range(1, 1 << 30));
  app->add_option("--lags", command->lags, "Lags of the autocorrelation")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app->callback([command] { run_show(*command); });
}

// ---- import

struct ImportCommand {
  std::string file, out, unit = "s", origin;
  bool transpose = false;
  int skip_columns = 0;
};

void import_archive(const ImportCommand& command) {
  ProgressBar bar("reading", 1000, progress_style());
  const JoinedJournals joined = import_otf2(command.file, [&](long done, long all) {
    bar.update(all > 0 ? 1000 * std::min(done, all) / all : 0);
  });
  const std::size_t left_out = write_traces(joined, command.out);
  std::cout << command.out << ": " << joined.traces.front().iterations() << " iterations of "
            << joined.traces.front().ranks << " ranks";
  if (joined.traces.size() > 1)
    std::cout << "; " << joined.traces.size() - left_out - 1 << " traces of other processes beside";
  std::cout << "\n";
}

/// What viewers read is no table, and holds less than the trace that it was made of.
void refuse_exports(const std::string& path) {
  std::string first;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) {
    std::ifstream file(path);
    std::getline(file, first);
  }
  if (path.ends_with(".pftrace") || path.ends_with(".talp.json") ||
      first.starts_with("iteration,rank,place,algorithm,"))
    throw Error(ErrorKind::argument,
                "'" + path +
                    "' is what `pat trace export` writes for viewers, which is not "
                    "read back but as .otf2; keep the trace");
}

void run_import(const ImportCommand& command) {
  refuse_replacing(command.file, command.out);
  if (command.file.ends_with(".otf2")) return import_archive(command);
  refuse_exports(command.file);
  const auto table = read_table(command.file, command.skip_columns);
  const double unit_s = command.unit == "s"    ? 1.0
                        : command.unit == "ms" ? 1e-3
                        : command.unit == "us" ? 1e-6
                                               : 1e-9;
  const std::size_t lines = table.size(), columns = table.front().size();
  Trace trace;
  trace.ranks = static_cast<int>(command.transpose ? lines : columns);
  trace.region = "imported";
  trace.clock = "as in the file";
  trace.origin = command.origin.empty() ? "pat trace import " + command.file : command.origin;
  const std::size_t outer = command.transpose ? columns : lines,
                    inner = command.transpose ? lines : columns;
  for (std::size_t i = 0; i < outer; ++i)
    for (std::size_t r = 0; r < inner; ++r)
      trace.arrival_s.push_back(unit_s * (command.transpose ? table[r][i] : table[i][r]));
  write_trace(trace, command.out);
  std::cout << command.out << ": " << trace.iterations() << " iterations of " << trace.ranks
            << " ranks\n";
}

void add_import(CLI::App& trace) {
  CLI::App* app = trace.add_subcommand("import",
                                       "Make a trace of a table, one line an iteration and one "
                                       "column a rank, or of an OTF2 archive");
  auto command = std::make_shared<ImportCommand>();
  app->add_option(
         "file", command->file,
         "An archive, FILE.otf2; else a table, columns parted by commas, semicolons, tabs or "
         "blanks")
      ->required();
  app->add_option(output_names, command->out, "The file to write")->required();
  app->add_option("--unit", command->unit, "Unit of the numbers: s, ms, us or ns")
      ->check(CLI::IsMember({"s", "ms", "us", "ns"}))
      ->capture_default_str();
  app->add_option("--skip-columns", command->skip_columns, "Columns on the left that hold no times")
      ->check(CLI::Range(0, 1000));
  app->add_flag("--transpose", command->transpose, "Lines are ranks, columns are iterations");
  app->add_option("--origin", command->origin, "Where the table came from");
  app->callback([command] { run_import(*command); });
}

// ---- record

constexpr const char* how_to_record =
    "A trace is recorded by the program itself while it runs:\n"
    "  PAT_TRACE=run.trace mpirun -n 8 ./program      a program that calls PAT\n"
    "Rank 0 writes the file when the program calls PAT_Finalize; processes that met without the "
    "others\n"
    "have run-2.trace and so on. Until then each process keeps what it has in run.trace.rank0 and "
    "so\n"
    "on, of which a run that is interrupted makes the trace, or `pat trace join run.trace` does.\n"
    "`pat trace show run.trace` says what is in it. With the ending .pftrace, .otf2, .csv or "
    ".talp.json\n"
    "the file is one for a viewer: see `pat trace export --help`.\n";

void add_record(CLI::App& trace) {
  trace.add_subcommand("record", "How to record a trace from a running program")->callback([] {
    std::cout << how_to_record;
  });
}

}  // namespace

PAT_SUBCOMMAND(trace) {
  CLI::App* trace =
      app.add_subcommand("trace", "Generate, show, import and export traces of arrivals");
  trace->require_subcommand(1);
  add_generate(*trace);
  add_show(*trace);
  add_import(*trace);
  add_trace_export(*trace);
  add_trace_join(*trace);
  add_record(*trace);
}

}  // namespace pat
