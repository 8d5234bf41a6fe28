// pat predict: how well models foretell the arrivals of a trace, and what that is worth.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/progress_bar.hpp"
#include "core/trace.hpp"
#include "predictors/predictor.hpp"
#include "tools/gnuplot.hpp"
#include "tools/study/gain.hpp"
#include "tools/study/measures.hpp"
#include "tools/study/plot.hpp"
#include "tools/study/replay.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

using study::Accuracy;
using study::Gain;
using study::GainOptions;
using study::Replay;
using study::ReplayOptions;

struct PredictCommand {
  std::string path, format = "table", forecasts;
  std::vector<std::string> models;
  std::vector<std::string> exchanges = {"1"};
  ReplayOptions replay;
  GainOptions gain;
  std::string operation = "reduce", bytes = "16M";
  std::string plot, plot_horizon, plot_exchange;
  int skip = 20, horizon_max = 16;
  bool no_hints = false, per_rank = false, no_gain = false, quiet = false;
};

/// One line of the result.
struct Row {
  std::string trace, model, exchange;
  int rank = -1;  // -1: all of them
  Accuracy accuracy;
  Gain gain;
  double sent = 1.0;
};

std::vector<std::string> default_models() {
  std::vector<std::string> models;
  for (const PredictorInfo& info : predictors()) models.push_back(info.name);
  std::replace(models.begin(), models.end(), std::string("sma"), std::string("sma:5"));
  return models;
}

/// The file itself, or the traces in the folder in the order of their names.
std::vector<std::string> traces_of(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().extension() == ".trace") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty()) throw Error(ErrorKind::io, "the folder '" + path + "' holds no .trace file");
  return files;
}

int exchange_of(const std::string& text) {
  if (text == "interval") return 0;
  int every = 0;
  std::istringstream stream(text);
  if (!(stream >> every) || !stream.eof() || every < 1 || every > 64)
    throw Error(ErrorKind::argument,
                "--exchange is '" + text + "', give 1 to 64 iterations, or interval");
  return every;
}

void check(const PredictCommand& command) {
  for (const std::string& model : command.models) make_predictor(model);
  for (const std::string& exchange : command.exchanges) exchange_of(exchange);
  if (command.replay.horizon > 1 && command.exchanges != std::vector<std::string>{"1"})
    throw Error(ErrorKind::argument,
                "--horizon and --exchange exclude each other, give one of them");
}

GainOptions gain_options(const PredictCommand& command) {
  GainOptions options = command.gain;
  const auto operation = find_operation(command.operation);
  if (!operation)
    throw Error(ErrorKind::argument,
                "--operation is '" + command.operation +
                    "', choose gather, scatter, reduce, bcast, allreduce or barrier");
  options.operation = *operation;
  const auto bytes = parse_bytes(command.bytes);
  if (!bytes || *bytes == 0)
    throw Error(ErrorKind::argument, "--bytes is '" + command.bytes + "', write 16M or 4096");
  options.bytes = *bytes;
  if (options.segments < 1)
    throw Error(ErrorKind::argument,
                "--segments is " + std::to_string(options.segments) + ", give at least 1");
  const CostModel& m = options.model;
  for (const double cost : {m.alpha_s, m.beta_s_per_byte, m.gamma_s_per_byte})
    if (!(cost >= 0.0 && cost < 1e6))
      throw Error(ErrorKind::argument, "--alpha, --beta and --gamma must be finite and at least 0");
  return options;
}

/// Iterations between a forecast and its arrival, at most.
int longest_horizon(const PredictCommand& command) {
  return std::max(command.replay.horizon, command.plot_horizon.empty() ? 1 : command.horizon_max);
}

/// What is studied: a trace, or one place of it.
struct Subject {
  std::string name;
  Trace trace;
};

/// The places of a trace are studied apart; those with too few iterations are left out, and said.
void add_subjects(const PredictCommand& command, const std::string& file,
                  std::vector<Subject>& subjects) {
  const Trace whole = read_trace(file);
  const std::string name = std::filesystem::path(file).stem().string();
  const auto long_enough = [&](const Trace& trace) {
    return trace.iterations() >= command.skip + longest_horizon(command);
  };
  std::string left_out;
  const std::size_t before = subjects.size();
  int most = 0;
  for (Trace& trace : by_place(whole)) {
    most = std::max(most, trace.iterations());
    if (long_enough(trace))
      subjects.push_back(
          {whole.places.empty() ? name : name + ": " + trace.region, std::move(trace)});
    else
      left_out += "pat: left out of '" + file + "': " + trace.region + ", " +
                  std::to_string(trace.iterations()) + " iterations\n";
  }
  if (subjects.size() == before)
    throw Error(
        ErrorKind::argument,
        whole.places.empty()
            ? "the trace '" + file + "' has " + std::to_string(whole.iterations()) +
                  " iterations, --skip must be less, and the longest horizon fit in after it"
            : "no place of the trace '" + file + "' has more than " + std::to_string(most) +
                  " iterations, --skip must be less, and the longest horizon fit in after "
                  "it");
  if (!command.quiet) std::cerr << left_out;
}

std::vector<Subject> subjects_of(const PredictCommand& command) {
  std::vector<Subject> subjects;
  for (const std::string& file : traces_of(command.path)) add_subjects(command, file, subjects);
  return subjects;
}

class Study {
 public:
  Study(const PredictCommand& command, const std::vector<Subject>& subjects)
      : command_(command),
        gain_(gain_options(command)),
        subjects_(subjects),
        bar_("pat predict",
             step_units * 2 *
                 static_cast<long>(subjects.size() * command.models.size() *
                                   command.exchanges.size()),
             progress_style(!command.quiet)) {}

  std::vector<Row> run() {
    for (const auto& [name, trace] : subjects_) {
      if (!command_.forecasts.empty()) {
        add(trace, name, "forecasts", "1", study::replay_of(trace, read_trace(command_.forecasts)));
        continue;
      }
      for (const std::string& model : command_.models) {
        for (const std::string& exchange : command_.exchanges) {
          ReplayOptions options = command_.replay;
          options.model = model;
          options.exchange_every = exchange_of(exchange);
          add(trace, name, model, exchange, study::replay(trace, options, next_step()));
        }
      }
    }
    return std::move(rows_);
  }

 private:
  static constexpr long step_units = 1000;

  /// Moves the bar through the next replay or simulation.
  study::Progress next_step() {
    return [this, base = step_units * steps_++](std::size_t done, std::size_t total) {
      bar_.update(base + step_units * static_cast<long>(done) / static_cast<long>(total));
    };
  }

  void add(const Trace& trace, const std::string& name, const std::string& model,
           const std::string& exchange, const Replay& replay) {
    Row row{name, model,           exchange, -1, accuracy(trace, replay, command_.skip),
            {},   replay.exchanges};
    if (!command_.no_gain) row.gain = study::gain(trace, replay, command_.skip, gain_, next_step());
    rows_.push_back(row);
    if (!command_.per_rank) return;
    for (int rank = 0; rank < trace.ranks; ++rank) {
      Row single{name, model, exchange, rank, {}, {}, replay.exchanges};
      single.accuracy = accuracy_of_rank(trace, replay, command_.skip, rank);
      rows_.push_back(single);
    }
  }

  const PredictCommand& command_;
  GainOptions gain_;
  const std::vector<Subject>& subjects_;
  ProgressBar bar_;
  long steps_ = 0;
  std::vector<Row> rows_;
};

/// A column of the result: its name with the unit, its heading in the table, its value.
struct Column {
  const char* name;
  const char* heading;
  int digits;
  double factor;  // for the table
  std::function<double(const Row&)> value;
};

std::vector<Column> columns(bool with_gain) {
  std::vector<Column> list = {
      {"mae_s", "MAE ms", 3, 1e3, [](const Row& r) { return r.accuracy.mae_s; }},
      {"rmse_s", "RMSE ms", 3, 1e3, [](const Row& r) { return r.accuracy.rmse_s; }},
      {"mape_percent", "MAPE %", 2, 1, [](const Row& r) { return r.accuracy.mape_percent; }},
      {"bias_s", "bias ms", 3, 1e3, [](const Row& r) { return r.accuracy.bias_s; }},
      {"kendall_tau", "tau", 3, 1, [](const Row& r) { return r.accuracy.kendall_tau; }},
      {"last_hit_rate", "last %", 1, 100, [](const Row& r) { return r.accuracy.last_hit_rate; }},
      {"coverage", "cover %", 1, 100, [](const Row& r) { return r.accuracy.coverage; }},
      {"interval_width_s", "width ms", 3, 1e3, [](const Row& r) { return r.accuracy.width_s; }},
      {"sent_per_iteration", "sent", 2, 1, [](const Row& r) { return r.sent; }}};
  if (!with_gain) return list;
  list.push_back(
      {"run_time_without_s", "plain ms", 3, 1e3, [](const Row& r) { return r.gain.against_s; }});
  list.push_back(
      {"run_time_forecast_s", "fcast ms", 3, 1e3, [](const Row& r) { return r.gain.forecast_s; }});
  list.push_back(
      {"run_time_perfect_s", "perfect ms", 3, 1e3, [](const Row& r) { return r.gain.perfect_s; }});
  list.push_back({"lost_s", "lost ms", 3, 1e3, [](const Row& r) { return r.gain.lost_s(); }});
  list.push_back({"gain_kept", "kept %", 1, 100, [](const Row& r) { return r.gain.kept(); }});
  list.push_back({"taken", "taken %", 1, 100, [](const Row& r) { return r.gain.taken; }});
  return list;
}

bool applies(const Row& row, const Column& column) {
  const std::string name = column.name;
  const bool of_all = name.starts_with("run_time") || name == "lost_s" || name == "gain_kept" ||
                      name == "taken" || name == "kendall_tau" || name == "last_hit_rate";
  return (row.rank < 0 || !of_all) && std::isfinite(column.value(row));
}

void print_table(const std::vector<Row>& rows, const std::vector<Column>& list) {
  std::string trace;
  for (const Row& row : rows) {
    if (row.trace != trace) {
      std::cout << (trace.empty() ? "" : "\n") << row.trace << "\n"
                << std::left << std::setw(22) << "model" << std::right;
      for (const Column& column : list) std::cout << std::setw(11) << column.heading;
      std::cout << "\n";
      trace = row.trace;
    }
    std::string label = row.rank < 0 ? row.model : "  rank " + std::to_string(row.rank);
    if (row.exchange != "1" && row.rank < 0) label += " /" + row.exchange;
    std::cout << std::left << std::setw(22) << label << std::right << std::fixed;
    for (const Column& column : list) {
      if (applies(row, column))
        std::cout << std::setw(11) << std::setprecision(column.digits)
                  << column.factor * column.value(row);
      else
        std::cout << std::setw(11) << "-";
    }
    std::cout << "\n" << std::defaultfloat;
  }
}

/// What the columns are, below the table.
void print_legend(const GainOptions& gain, int skip, bool with_gain) {
  std::cout
      << "\nForecasts of iterations from " << skip << " on against the arrivals, all ranks:\n"
      << "  MAE, RMSE, MAPE   mean absolute error, root mean square, mean share of the arrival\n"
      << "  bias              forecast minus arrival, mean\n"
      << "  tau               Kendall's tau of the order of arrival, 1: all pairs right\n"
      << "  last              iterations whose last arriver was foretold\n"
      << "  cover, width      arrivals within the 90 % interval, and its mean width\n"
      << "  sent              forecasts sent per rank and iteration\n";
  if (!with_gain) return;
  std::cout << "Simulated " << name(gain.operation) << " of " << gain.bytes
            << " bytes, first arrival to last exit, mean:\n"
            << "  plain             " << gain.against << ", which knows no arrivals\n"
            << "  fcast, perfect    " << gain.algorithm
            << " built from the forecast, and from the arrivals\n"
            << "  lost              fcast - perfect\n"
            << "  kept              (plain - fcast) / (plain - perfect); -: nothing to gain\n"
            << "  taken             iterations in which the forecast was acted on (--sure)\n";
}

/// Text as a field of CSV.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

void print_csv(const std::vector<Row>& rows, const std::vector<Column>& list) {
  std::cout << "trace,model,exchange_every,rank";
  for (const Column& column : list) std::cout << "," << column.name;
  std::cout << "\n" << std::setprecision(9);
  for (const Row& row : rows) {
    std::cout << field(row.trace) << "," << field(row.model) << "," << row.exchange << ","
              << (row.rank < 0 ? "all" : std::to_string(row.rank));
    for (const Column& column : list) {
      std::cout << ",";
      if (applies(row, column)) std::cout << column.value(row);
    }
    std::cout << "\n";
  }
}

void print_json(const std::vector<Row>& rows, const std::vector<Column>& list) {
  nlohmann::json result = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json entry = {
        {"trace", row.trace}, {"model", row.model}, {"exchange_every", row.exchange}};
    entry["rank"] = row.rank < 0 ? nlohmann::json("all") : nlohmann::json(row.rank);
    for (const Column& column : list)
      if (applies(row, column)) entry[column.name] = column.value(row);
    result.push_back(std::move(entry));
  }
  std::cout << result.dump(2) << "\n";
}

/// Seed 004 Fig. 5: the arrivals of the first four ranks with the forecast of each model.
void plot_fit(const PredictCommand& command, const Trace& trace) {
  const int ranks = std::min(4, trace.ranks);
  std::vector<Replay> replays;
  for (const std::string& model : command.models) {
    ReplayOptions options = command.replay;
    options.model = model;
    options.exchange_every = exchange_of(command.exchanges.front());
    replays.push_back(study::replay(trace, options));
  }
  std::ostringstream data, script;
  data << std::setprecision(9) << "$d << E\n";
  for (int i = 0; i < trace.iterations(); ++i) {
    data << i;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto at = static_cast<std::size_t>(i) * static_cast<std::size_t>(trace.ranks) +
                      static_cast<std::size_t>(rank);
      data << " " << 1e3 * trace.arrival_s[at] << " " << 1e3 * replays[0].lower_s[at] << " "
           << 1e3 * replays[0].upper_s[at];
      for (const Replay& replay : replays)
        if (replay.known[at])
          data << " " << 1e3 * replay.arrival_s[at];
        else
          data << " NaN";
    }
    data << "\n";
  }
  data << "E\n";
  const int stride = 3 + static_cast<int>(replays.size());
  script << data.str() << "set multiplot layout " << (ranks + 1) / 2 << "," << std::min(2, ranks)
         << "\nset xrange [0:" << trace.iterations()
         << "]\nset xlabel 'iteration'\nset ylabel 'arrival (ms)'\nset key below\n";
  for (int rank = 0; rank < ranks; ++rank) {
    const int column = 2 + rank * stride;
    // The bulk of the arrivals fills the plot; values far out are cut off.
    script << "set yrange [*:*]\nstats $d using " << column << " nooutput\n"
           << "half = STATS_up_quartile - STATS_lo_quartile + 1e-6\n"
           << "low = STATS_lo_quartile - 4 * half\nhigh = STATS_up_quartile + 4 * half\n"
           << "low = low < STATS_min ? STATS_min - 0.3 * half : low\n"
           << "high = high > STATS_max ? STATS_max + 0.3 * half : high\n"
           << "set yrange [low < 0 ? 0 : low : high]\n"
           << "set title " << study::quoted("rank " + std::to_string(rank))
           << "\nplot $d every ::" << command.skip << " using 1:" << column + 1 << ":" << column + 2
           << " with filledcurves fc rgb '#dfe8f5' title "
           << study::quoted("90 % interval of " + command.models[0]) << ", $d using 1:" << column
           << " with points pt 7 ps 0.4 lc rgb '#303030' title 'arrival'";
    for (std::size_t m = 0; m < replays.size(); ++m)
      script << ", $d using 1:" << column + 3 + static_cast<int>(m) << " with lines lw 2 lt "
             << m + 1 << " title " << study::quoted(command.models[m]);
    script << "\n";
  }
  script << "unset multiplot\n";
  study::plot(script.str(), command.plot, 1200, 800);
}

/// Mean absolute error of each model against the horizon.
void plot_horizon(const PredictCommand& command, const Trace& trace) {
  std::ostringstream script;
  script << "$d << E\n";
  for (int horizon = 1; horizon <= command.horizon_max; ++horizon) {
    script << horizon;
    for (const std::string& model : command.models) {
      ReplayOptions options = command.replay;
      options.model = model;
      options.horizon = horizon;
      script << " "
             << 1e3 * accuracy(trace, study::replay(trace, options), command.skip + horizon).mae_s;
    }
    script << "\n";
  }
  script << "E\n"
         << range_if_empty('x', 1, command.horizon_max)
         << "set xlabel 'horizon (iterations)'\nset ylabel 'mean absolute error (ms)'\n"
         << "set key outside right\nset yrange [0:*]\nplot ";
  for (std::size_t m = 0; m < command.models.size(); ++m)
    script << (m > 0 ? ", " : "") << "$d using 1:" << m + 2 << " with linespoints lw 2 pt " << m + 1
           << " title " << study::quoted(command.models[m]);
  study::plot(script.str() + "\n", command.plot_horizon, 1000, 550);
}

/// What is kept of the gain against how often forecasts are sent: a line a trace and model over the
/// fixed periods, a star for sending on leaving the interval.
void plot_exchange(const PredictCommand& command, const std::vector<Row>& rows) {
  std::map<std::string, std::pair<std::string, std::string>> curves;  // fixed periods, interval
  std::vector<double> sent, kept;
  for (const Row& row : rows) {
    if (row.rank >= 0 || !std::isfinite(row.gain.kept())) continue;
    auto& [fixed, interval] = curves[row.trace + " " + row.model];
    sent.push_back(row.sent);
    kept.push_back(100.0 * row.gain.kept());
    (row.exchange == "interval" ? interval : fixed) +=
        std::to_string(row.sent) + " " + std::to_string(100.0 * row.gain.kept()) + "\n";
  }
  if (curves.empty())
    throw Error(ErrorKind::argument,
                "there is nothing to gain, --plot-exchange needs smaller --bytes");
  std::ostringstream script, lines;
  int number = 0;
  for (const auto& [label, points] : curves) {
    ++number;
    const std::string id = std::to_string(number);
    script << "$fixed" << id << " << E\n"
           << points.first << "E\n"
           << "$interval" << id << " << E\n"
           << points.second << "E\n";
    const auto add = [&](const char* data, const char* style, const std::string& title) {
      lines << (lines.str().empty() ? "" : ", ") << "$" << data << id << " with " << style << " lc "
            << id << " title " << study::quoted(title);
    };
    if (!points.first.empty()) add("fixed", "linespoints lw 2 pt 7 ps 0.8", label);
    if (!points.second.empty())
      add("interval", "points pt 3 ps 2 lw 2", label + ", on leaving the interval");
  }
  const auto [fewest, most] = std::minmax_element(sent.begin(), sent.end());
  const auto [lowest, highest] = std::minmax_element(kept.begin(), kept.end());
  const std::string one_place = range_if_empty('x', *fewest, *most);
  script << "set xlabel \"forecasts sent per rank and iteration\\n \"\n"
         << (one_place.empty() ? "set logscale x 2\n" : one_place)
         << range_if_empty('y', *lowest, *highest)
         << "set ylabel 'gain kept (%)'\nset key outside below\nplot " << lines.str() << "\n";
  study::plot(script.str(), command.plot_exchange, 1000, 650);
}

void run(PredictCommand command) {
  command.replay.hints = !command.no_hints;
  if (command.models.empty()) command.models = default_models();
  check(command);
  const std::vector<Subject> subjects = subjects_of(command);
  const std::vector<Row> rows = Study(command, subjects).run();
  const std::vector<Column> list = columns(!command.no_gain);
  if (!command.plot.empty()) plot_fit(command, subjects.front().trace);
  if (!command.plot_horizon.empty()) plot_horizon(command, subjects.front().trace);
  if (!command.plot_exchange.empty()) plot_exchange(command, rows);
  if (command.format == "json")
    print_json(rows, list);
  else if (command.format == "csv")
    print_csv(rows, list);
  else {
    print_table(rows, list);
    print_legend(gain_options(command), command.skip, !command.no_gain);
  }
}

std::string models_footer() {
  std::string text = "Models:";
  for (const PredictorInfo& info : predictors())
    text += "\n  " + info.usage + "\n      " + info.idea + " (" + info.source + ")";
  return text;
}

}  // namespace

PAT_SUBCOMMAND(predict) {
  CLI::App* predict =
      app.add_subcommand("predict", "How well models foretell the arrivals of a trace");
  auto command = std::make_shared<PredictCommand>();
  PredictCommand& c = *command;
  predict->add_option("--trace", c.path, "Trace, or a folder of .trace files")->required();
  predict->add_option("--model", c.models,
                      "Model with its parameters, may be repeated (default: all)");
  predict->add_option("--forecasts", c.forecasts,
                      "Judge the rows of this trace instead of a model");
  predict->add_option("--edge", c.replay.edge, "Each phase has an edge at this share of its work");
  predict
      ->add_option("--edge-noise", c.replay.edge_noise,
                   "How uneven the pace within a phase is (relative deviation)")
      ->capture_default_str();
  predict
      ->add_option("--exchange", c.exchanges,
                   "Patterns are exchanged every k-th iteration, or when a forecast leaves its "
                   "`interval`; may be repeated")
      ->capture_default_str();
  predict->add_option("--horizon", c.replay.horizon, "Forecast this many iterations ahead")
      ->capture_default_str();
  predict->add_option("--skip", c.skip, "Iterations at the beginning that are not judged")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  predict
      ->add_option("--operation", c.operation,
                   "Collective whose schedule is built from the forecast")
      ->capture_default_str();
  predict->add_option("--algorithm", c.gain.algorithm, "Its algorithm")->capture_default_str();
  predict->add_option("--against", c.gain.against, "Algorithm without a forecast")
      ->capture_default_str();
  predict->add_option("--bytes", c.bytes, "Size of a rank's block, with k, M or G")
      ->capture_default_str();
  predict->add_option("--segments", c.gain.segments, "Segments of a block")->capture_default_str();
  predict->add_option("--alpha", c.gain.model.alpha_s, "Start-up time of a message, seconds")
      ->capture_default_str();
  predict->add_option("--beta", c.gain.model.beta_s_per_byte, "Transfer time, seconds per byte")
      ->capture_default_str();
  predict->add_option("--gamma", c.gain.model.gamma_s_per_byte, "Time to combine, seconds per byte")
      ->capture_default_str();
  predict->add_flag("--sure", c.gain.only_if_sure,
                    "Act on a forecast only where the gain over --against is sure within its "
                    "intervals, as `auto` does");
  predict->add_flag("--no-hints", c.no_hints, "Keep the trace's hints (PAT_Hint) from the models");
  predict->add_flag("--no-gain", c.no_gain, "Leave the simulated schedules out");
  predict->add_flag("--per-rank", c.per_rank, "A line for each rank too");
  predict->add_flag("--quiet", c.quiet, "Show no progress");
  predict->add_option("--format", c.format, "table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  predict->add_option("--plot", c.plot,
                      "Write arrivals and forecasts of four ranks to a .png or .svg");
  predict->add_option("--plot-horizon", c.plot_horizon,
                      "Write error against horizon to a .png or .svg");
  predict->add_option("--plot-exchange", c.plot_exchange,
                      "Write the gain kept against how often forecasts are sent to a .png or .svg");
  predict->add_option("--horizon-max", c.horizon_max, "Longest horizon of that plot")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  predict->footer(models_footer());
  predict->callback([command, predict] {
    refuse_empty_values(*predict);
    run(*command);
  });
}

}  // namespace pat
