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
  GainOptions gain{.algorithm = "", .against = ""};
  std::string operation, bytes;  // empty: as the trace says
  std::string plot, plot_horizon, plot_exchange;
  int skip = 20, horizon_max = 16;
  bool no_hints = false, per_rank = false, no_gain = false, quiet = false;
};

/// What is studied: a trace, or one place of it.
struct Subject {
  std::string name;
  Trace trace;
  GainOptions gain;
};

/// One line of the result.
struct Row {
  const Subject* subject = nullptr;
  std::string model, exchange;
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

/// What is simulated of a trace.
GainOptions gain_options(const PredictCommand& command, const Trace& trace) {
  const auto operation = find_operation(command.operation);
  if (!command.operation.empty() && !operation)
    throw Error(ErrorKind::argument, "--operation is '" + command.operation + "', choose " +
                                         study::operations_to_study());
  const auto bytes = parse_bytes(command.bytes);
  if (!command.bytes.empty() && (!bytes || *bytes == 0))
    throw Error(ErrorKind::argument, "--bytes is '" + command.bytes + "', write 16M or 4096");
  GainOptions options = command.gain;
  study::choose_call(options, operation, bytes, trace);
  study::choose_algorithms(options);
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

bool computes(const Trace& trace) {
  return trace.computing_s.empty() ||
         std::any_of(trace.computing_s.begin(), trace.computing_s.end(),
                     [](double time_s) { return time_s > 0.0; });
}

/// The places of a trace are studied apart; those with too few iterations or without a computing
/// phase are left out, and said.
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
  for (const Trace& trace : by_place(whole)) {
    if (!whole.places.empty() && !computes(trace)) {
      left_out += "pat: left out of '" + file + "': " + trace.region + ", no computing phase\n";
      continue;
    }
    most = std::max(most, trace.iterations());
    if (long_enough(trace))
      subjects.push_back({whole.places.empty() ? name : name + ": " + trace.region, trace,
                          command.no_gain ? GainOptions{} : gain_options(command, trace)});
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
        subjects_(subjects),
        bar_("pat predict",
             step_units * 2 *
                 static_cast<long>(subjects.size() * command.models.size() *
                                   command.exchanges.size()),
             progress_style(!command.quiet)) {}

  std::vector<Row> run() {
    for (const Subject& subject : subjects_) {
      const Trace& trace = subject.trace;
      if (!command_.forecasts.empty()) {
        add(subject, "forecasts", "1", study::replay_of(trace, read_trace(command_.forecasts)));
        continue;
      }
      for (const std::string& model : command_.models) {
        for (const std::string& exchange : command_.exchanges) {
          ReplayOptions options = command_.replay;
          options.model = model;
          options.exchange_every = exchange_of(exchange);
          add(subject, model, exchange, study::replay(trace, options, next_step()));
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

  void add(const Subject& subject, const std::string& model, const std::string& exchange,
           const Replay& replay) {
    const Trace& trace = subject.trace;
    Row row;
    row.subject = &subject;
    row.model = model;
    row.exchange = exchange;
    row.accuracy = accuracy(trace, replay, command_.skip);
    row.sent = replay.exchanges;
    if (!command_.no_gain)
      row.gain = study::gain(trace, replay, command_.skip, subject.gain, next_step());
    rows_.push_back(row);
    if (!command_.per_rank) return;
    for (int rank = 0; rank < trace.ranks; ++rank) {
      Row single = row;
      single.rank = rank;
      single.accuracy = accuracy_of_rank(trace, replay, command_.skip, rank);
      rows_.push_back(single);
    }
  }

  const PredictCommand& command_;
  const std::vector<Subject>& subjects_;
  ProgressBar bar_;
  long steps_ = 0;
  std::vector<Row> rows_;
};

/// A column of the result: its name with the unit, its heading in the table, its value.
struct Column {
  const char* name;
  const char* heading;
  int digits;     // after the point in the table, fewer for large numbers
  double factor;  // for the table
  bool of_ranks;  // also of single ones
  std::function<double(const Row&)> value;
};

const std::vector<Column> accuracy_columns = {
    {"mae_s", "MAE ms", 3, 1e3, true, [](const Row& r) { return r.accuracy.mae_s; }},
    {"rmse_s", "RMSE ms", 3, 1e3, true, [](const Row& r) { return r.accuracy.rmse_s; }},
    {"mape_percent", "MAPE %", 2, 1, true, [](const Row& r) { return r.accuracy.mape_percent; }},
    {"bias_s", "bias ms", 3, 1e3, true, [](const Row& r) { return r.accuracy.bias_s; }},
    {"kendall_tau", "tau", 3, 1, false, [](const Row& r) { return r.accuracy.kendall_tau; }},
    {"last_hit_rate", "last %", 1, 100, false,
     [](const Row& r) { return r.accuracy.last_hit_rate; }},
    {"coverage", "cover %", 1, 100, true, [](const Row& r) { return r.accuracy.coverage; }},
    {"interval_width_s", "width ms", 3, 1e3, true, [](const Row& r) { return r.accuracy.width_s; }},
    {"sent_per_iteration", "sent", 2, 1, true, [](const Row& r) { return r.sent; }}};

const std::vector<Column> gain_columns = {
    {"run_time_without_s", "plain ms", 3, 1e3, false,
     [](const Row& r) { return r.gain.against_s; }},
    {"run_time_forecast_s", "forecast ms", 3, 1e3, false,
     [](const Row& r) { return r.gain.forecast_s; }},
    {"run_time_perfect_s", "arrivals ms", 3, 1e3, false,
     [](const Row& r) { return r.gain.perfect_s; }},
    {"lost_s", "lost ms", 3, 1e3, false, [](const Row& r) { return r.gain.lost_s(); }},
    {"gain_kept", "kept %", 1, 100, false, [](const Row& r) { return r.gain.kept(); }},
    {"taken", "taken %", 1, 100, false, [](const Row& r) { return r.gain.taken; }}};

bool applies(const Row& row, const Column& column) {
  return (row.rank < 0 || column.of_ranks) && std::isfinite(column.value(row));
}

std::string label_of(const Row& row) {
  if (row.rank >= 0) return "  rank " + std::to_string(row.rank);
  return row.exchange == "1" ? row.model : row.model + " /" + row.exchange;
}

/// The cells of a column, all with as many digits after the point as leave the largest number four.
std::vector<std::string> cells_of(const std::vector<const Row*>& rows, const Column& column) {
  double largest = 0.0;
  for (const Row* row : rows)
    if (applies(*row, column))
      largest = std::max(largest, std::abs(column.factor * column.value(*row)));
  const int before = largest < 10.0 ? 1 : 1 + static_cast<int>(std::log10(largest));
  const int digits = std::clamp(4 - before, 0, column.digits);
  std::vector<std::string> cells = {column.heading};
  for (const Row* row : rows) {
    std::ostringstream cell;
    if (applies(*row, column))
      cell << std::fixed << std::setprecision(digits) << column.factor * column.value(*row);
    cells.push_back(cell.str().empty() ? "-" : cell.str());
  }
  return cells;
}

void print_columns(const std::vector<const Row*>& rows, const std::vector<Column>& columns) {
  std::vector<std::string> lines = {"model"};
  for (const Row* row : rows) lines.push_back(label_of(*row));
  const auto widen = [&](const std::vector<std::string>& cells, bool right) {
    std::size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string blanks(width - cells[i].size(), ' ');
      lines[i] = right ? lines[i] + "  " + blanks + cells[i] : cells[i] + blanks;
    }
  };
  widen(std::vector(lines), false);
  for (const Column& column : columns) widen(cells_of(rows, column), true);
  for (const std::string& line : lines) std::cout << line << "\n";
}

/// A trace: how good the forecasts were, and what they were worth.
void print_subject(const Subject& subject, const std::vector<Row>& rows, bool with_gain) {
  std::vector<const Row*> all, whole;
  for (const Row& row : rows) {
    if (row.subject != &subject) continue;
    all.push_back(&row);
    if (row.rank < 0) whole.push_back(&row);
  }
  std::cout << subject.name << ", forecasts against arrivals:\n";
  print_columns(all, accuracy_columns);
  if (!with_gain) return;
  const GainOptions& gain = subject.gain;
  std::cout << "\n"
            << subject.name << ", simulated " << name(gain.operation) << ", root " << gain.root
            << ", " << gain.bytes << " bytes, " << gain.algorithm << " against " << gain.against
            << ":\n";
  print_columns(whole, gain_columns);
}

/// What the columns are, below the tables.
void print_legend(const PredictCommand& command) {
  std::cout
      << "\nForecasts of the iterations from " << command.skip
      << " on against the arrivals, mean of the ranks:\n"
      << "  MAE, RMSE, MAPE  mean absolute error, root mean square, mean share of the arrival\n"
         "  bias             forecast minus arrival, mean\n"
         "  tau              Kendall's tau of the order of arrival, 1: all pairs right\n"
         "  last             iterations whose last arriver was foretold\n"
         "  cover, width     arrivals within the 90 % interval, and its mean width\n"
         "  sent             forecasts sent per rank and iteration; /k behind a model: every "
         "k-th iteration\n";
  if (command.replay.edge > 0.0)
    std::cout << "A trace holds no edges (PAT_Edge): these assume one at " << command.replay.edge
              << " of the work, with an uneven pace.\n";
  else
    std::cout << "A trace holds no edges (PAT_Edge): these forecasts know the past and the hints "
                 "alone; --edge 0.5 assumes edges.\n";
  if (command.no_gain) return;
  std::cout
      << "\nSimulated run times, first arrival to last exit, mean of the iterations:\n"
         "  plain            the second algorithm, which knows no arrivals\n"
         "  forecast         the first one, its schedule built from the forecast\n"
         "  arrivals         the same, built from the true arrivals: not always its best schedule\n"
         "  lost             forecast - arrivals; below 0: the forecast chanced upon a better one\n"
         "  kept             (plain - forecast) / (plain - arrivals): share of the gain that is "
         "had "
         "without knowing the\n"
         "                   arrivals. Above 100: lost is below 0; below 0: slower than plain; -: "
         "nothing to gain\n"
         "  taken            iterations in which the forecast was acted on, plain ran in the "
         "others "
      << (command.gain.only_if_sure ? "(--sure)" : "(all without --sure)") << "\n";
}

/// Text as a field of CSV.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

void print_csv(const std::vector<Row>& rows, const std::vector<Column>& columns, bool with_gain) {
  std::cout << "trace,model,exchange_every,rank";
  for (const Column& column : columns) std::cout << "," << column.name;
  std::cout << (with_gain ? ",operation,bytes,algorithm,against" : "") << "\n"
            << std::setprecision(9);
  for (const Row& row : rows) {
    std::cout << field(row.subject->name) << "," << field(row.model) << "," << row.exchange << ","
              << (row.rank < 0 ? "all" : std::to_string(row.rank));
    for (const Column& column : columns) {
      std::cout << ",";
      if (applies(row, column)) std::cout << column.value(row);
    }
    const GainOptions& gain = row.subject->gain;
    if (with_gain)
      std::cout << "," << name(gain.operation) << "," << gain.bytes << "," << gain.algorithm << ","
                << gain.against;
    std::cout << "\n";
  }
}

void print_json(const std::vector<Row>& rows, const std::vector<Column>& columns, bool with_gain) {
  nlohmann::json result = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json entry = {
        {"trace", row.subject->name}, {"model", row.model}, {"exchange_every", row.exchange}};
    entry["rank"] = row.rank < 0 ? nlohmann::json("all") : nlohmann::json(row.rank);
    for (const Column& column : columns)
      if (applies(row, column)) entry[column.name] = column.value(row);
    const GainOptions& gain = row.subject->gain;
    if (with_gain)
      entry.update({{"operation", name(gain.operation)},
                    {"root", gain.root},
                    {"bytes", gain.bytes},
                    {"algorithm", gain.algorithm},
                    {"against", gain.against}});
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
    auto& [fixed, interval] = curves[row.subject->name + " " + row.model];
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
  if (!command.plot.empty()) plot_fit(command, subjects.front().trace);
  if (!command.plot_horizon.empty()) plot_horizon(command, subjects.front().trace);
  if (!command.plot_exchange.empty()) plot_exchange(command, rows);
  const bool with_gain = !command.no_gain;
  std::vector<Column> columns = accuracy_columns;
  if (with_gain) columns.insert(columns.end(), gain_columns.begin(), gain_columns.end());
  if (command.format == "json") return print_json(rows, columns, with_gain);
  if (command.format == "csv") return print_csv(rows, columns, with_gain);
  for (const Subject& subject : subjects) {
    if (&subject != &subjects.front()) std::cout << "\n";
    print_subject(subject, rows, with_gain);
  }
  print_legend(command);
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
  predict->add_option(
      "--operation", c.operation,
      "Collective whose schedule is built from the forecast: " + study::operations_to_study() +
          "; left out: the one that the trace names, else reduce");
  predict->add_option(
      "--algorithm", c.gain.algorithm,
      "Its algorithm; left out: " + study::studied_algorithms(&StudiedPair::informed));
  predict->add_option(
      "--against", c.gain.against,
      "Algorithm without a forecast; left out: " + study::studied_algorithms(&StudiedPair::plain));
  predict->add_option("--bytes", c.bytes,
                      "Size of a rank's block, with k, M or G; left out: the one that the trace "
                      "names, else 16M");
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
