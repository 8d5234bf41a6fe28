#include "tools/plot_figure.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/errors.hpp"
#include "core/json_number.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "core/whole_file.hpp"
#include "tools/gnuplot.hpp"
#include "tools/plot_correlation.hpp"

namespace pat {
namespace {

using nlohmann::json;

struct Axis {
  const char* name;
  const char* field;
  double scale;
  const char* label;
};
const Axis x_axes[] = {{"delay", "delay_s", 1e3, "delay (ms)"},
                       {"size", "bytes", 1.0 / 1024, "data size in all (KiB)"},
                       {"ranks", "ranks", 1, "processes"}};
const Axis y_axes[] = {
    {"run", "run_mean_s", 1e3, "run time (ms), mean and standard deviation"},
    {"median", "run_median_s", 1e3, "run time (ms), median and its 95 % interval"},
    {"elapsed", "elapsed_mean_s", 1e3, "average elapsed time (ms)"},
    {"ratio", "ratio", 1, "median run time relative to the baseline"},
    {"absorption", "normalized_absorption", 1, "normalized absorption time"}};

struct Point {
  double x, y, lower, upper;
};
using Lines = std::map<std::string, std::vector<Point>>;

std::vector<json> entries_of(const std::vector<json>& documents) {
  std::vector<json> entries;
  for (const json& document : documents) {
    if (!is_of_bench(document))
      throw Error(ErrorKind::argument,
                  "A figure is drawn from files that 'pat bench --format json' wrote.");
    for (const json& entry : document.at("results")) entries.push_back(entry);
  }
  return entries;
}

const Axis& x_axis(const std::string& name, const std::vector<json>& entries) {
  const Axis* best = nullptr;
  std::size_t most = 0;
  for (const Axis& axis : x_axes) {
    if (name == axis.name) return axis;
    std::set<double> values;
    for (const json& entry : entries) values.insert(entry.at(axis.field).get<double>());
    if (values.size() > most) most = values.size(), best = &axis;
  }
  if (name != "auto" || best == nullptr)
    throw Error(ErrorKind::argument, "--x '" + name + "' is none of auto, delay, size and ranks.");
  return *best;
}

const Axis& y_axis(const std::string& name) {
  for (const Axis& axis : y_axes)
    if (name == axis.name) return axis;
  throw Error(
      ErrorKind::argument,
      "--y '" + name +
          "' is none of run, median, elapsed, ratio, absorption, autocorrelation and spectrum.");
}

Point point_of(const json& entry, const Axis& x, const Axis& y) {
  const double at = x.scale * entry.at(x.field).get<double>();
  if (y.name == std::string("ratio")) {
    const json& ratio = entry.at("ratio");
    return {at, ratio.at("value"), ratio.at("interval").at(0), ratio.at("interval").at(1)};
  }
  const double value = y.scale * entry.at(y.field).get<double>();
  if (y.name == std::string("median")) {
    const json& interval = entry.at("run_median_interval_s");
    return {at, value, y.scale * interval.at(0).get<double>(),
            y.scale * interval.at(1).get<double>()};
  }
  const double spread =
      y.name == std::string("run") ? y.scale * entry.at("run_sd_s").get<double>() : 0.0;
  return {at, value, value - spread, value + spread};
}

/// "uniform" of "uniform:50ms".
std::string kind_of(const json& entry) {
  const std::string pattern = entry.value("pattern", "");
  return pattern.substr(0, pattern.find(':'));
}

/// What tells a line's entries from others: ", 8 MiB, 48 processes" but for what is on the x axis.
std::string other_fields(const json& entry, const Axis& x) {
  const auto is_x = [&](const char* field) { return std::string(x.field) == field; };
  std::string text;
  if (!is_x("bytes")) text += ", " + format_bytes(whole_number(entry.at("bytes")));
  if (!is_x("ranks")) text += ", P " + entry.at("ranks").dump();
  if (!is_x("delay_s")) text += ", " + json(1e3 * entry.at("delay_s").get<double>()).dump() + " ms";
  return text;
}

/// One line an algorithm, operation and kind of pattern. If a line had two points at one place of
/// the x axis, they are of different runs: then `apart` makes a line of each.
Lines lines_of(const std::vector<json>& entries, const Axis& x, const Axis& y, bool apart) {
  std::set<std::string> operations, kinds;
  for (const json& entry : entries) {
    operations.insert(entry.at("operation"));
    kinds.insert(kind_of(entry));
  }
  Lines lines;
  for (const json& entry : entries) {
    if (!entry.contains(y.field) || entry.at("iterations") == 0) continue;
    std::string label = entry.at("algorithm");
    if (operations.size() > 1) label = entry.at("operation").get<std::string>() + " " + label;
    if (kinds.size() > 1) label += ", " + kind_of(entry);
    if (apart) label += other_fields(entry, x);
    lines[label].push_back(point_of(entry, x, y));
  }
  for (auto& [label, points] : lines) {
    std::sort(points.begin(), points.end(),
              [](const Point& a, const Point& b) { return a.x < b.x; });
    const auto twice = std::adjacent_find(
        points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x == b.x; });
    if (!apart && twice != points.end()) return lines_of(entries, x, y, true);
  }
  if (lines.empty())
    throw Error(ErrorKind::argument,
                std::string("The results have no values of '") + y.name + "' to draw.");
  return lines;
}

/// What all entries have in common: "gather, 8 MiB in all, 48 processes".
std::string title_of(const std::vector<json>& entries) {
  const auto common = [&](const char* field) {
    return std::all_of(entries.begin(), entries.end(), [&](const json& entry) {
      return entry.at(field) == entries.front().at(field);
    });
  };
  const json& one = entries.front();
  std::vector<std::string> parts;
  if (common("operation")) parts.push_back(one.at("operation"));
  if (common("bytes")) parts.push_back(format_bytes(whole_number(one.at("bytes"))) + " in all");
  if (common("ranks")) parts.push_back(one.at("ranks").dump() + " processes");
  if (common("delay_s") && one.at("delay_s") > 0)
    parts.push_back(json(1e3 * one.at("delay_s").get<double>()).dump() + " ms of delay");
  return join(parts, ", ");
}

/// Between which values the points lie, error bars included; their least y is 0 or below it.
struct Extent {
  double low_x, high_x;
  double low_y = 0.0, high_y;
};

Extent extent_of(const Lines& lines) {
  const Point& first = lines.begin()->second.front();
  Extent extent{.low_x = first.x, .high_x = first.x, .high_y = first.y};
  for (const auto& [label, points] : lines)
    for (const Point& p : points) {
      extent.low_x = std::min(extent.low_x, p.x);
      extent.high_x = std::max(extent.high_x, p.x);
      extent.low_y = std::min({extent.low_y, p.y, p.lower});
      extent.high_y = std::max({extent.high_y, p.y, p.upper});
    }
  return extent;
}

/// Zero belongs to it: from a bar's or a line's height one sees the ratio.
std::string y_range(const Extent& extent) {
  if (extent.low_y == 0.0 && extent.high_y <= 0.0) return "set yrange [0:1]\n";
  return std::string("set yrange [") + (extent.low_y < 0.0 ? "*" : "0") + ":" +
         (extent.high_y > 0.0 ? "*" : "0") + "]\n";
}

/// One point each, and all at one place.
bool are_bars(const Lines& lines) {
  const double first = lines.begin()->second.front().x;
  return std::all_of(lines.begin(), lines.end(), [&](const auto& line) {
    return line.second.size() == 1 && line.second.front().x == first;
  });
}

/// Width and height of a figure, pixels.
struct Size {
  double width = 800, height = 480;
};

/// Names below bars, which stand slantwise where the longest does not fit below its bar. The
/// letters of gnuplot's own font and size take at most so many pixels each.
class BarNames {
 public:
  explicit BarNames(const Lines& lines) : bars_(static_cast<double>(lines.size())) {
    for (const auto& [label, points] : lines) longest_ = std::max(longest_, label.size());
  }

  bool slant() const { return longest_px() + letter_px > bar_px(); }
  /// Grown by what slanted names need below the bars, and to the left of the first one.
  Size size() const {
    return slant() ? Size{whole_.width + left_px(), whole_.height + reach_px()} : whole_;
  }
  /// What gnuplot is told of them.
  std::string settings() const {
    if (!slant()) return "set xtics noenhanced\n";
    return fmt::format(
        "set xtics noenhanced rotate by 45 right\nset lmargin at screen {:.4f}\nset bmargin at "
        "screen {:.4f}\n",
        (margin_px + left_px()) / size().width, (letter_px + reach_px()) / size().height);
  }

 private:
  static constexpr double letter_px = 8, margin_px = 90, sine = 0.71;
  static constexpr Size whole_{};

  double longest_px() const { return letter_px * static_cast<double>(longest_); }
  double bar_px() const { return (whole_.width - 1.4 * margin_px) / (bars_ + 0.4); }
  /// How far a slanted name goes downwards, and as far to the left.
  double reach_px() const { return sine * (longest_px() + 2 * letter_px); }
  double left_px() const { return std::max(0.0, reach_px() - margin_px - 0.7 * bar_px()); }

  double bars_;
  std::size_t longest_ = 0;
};

/// A bar a line, where each has but one point.
void put_bars(const Lines& lines, std::ostream& out) {
  out << "unset key\nunset xlabel\nset rmargin 4\n"
      << BarNames(lines).settings() << "set boxwidth 0.6\nset style fill solid 0.5\n"
      << "set xrange [-0.7:" << static_cast<double>(lines.size()) - 0.3 << "]\n$bars << EOD\n";
  for (const auto& [label, points] : lines)
    for (const Point& p : points)
      out << '"' << harmless(label) << "\" " << p.y << ' ' << p.lower << ' ' << p.upper << '\n';
  out << "EOD\nplot $bars using 0:2:xtic(1) with boxes lc rgb '#4477aa', "
      << "$bars using 0:2:3:4 with yerrorbars lc rgb 'black' lw 1.5 pt 0\n";
}

void put_lines(const Lines& lines, std::ostream& out) {
  int block = 0;
  for (const auto& [label, points] : lines) {
    out << "$d" << block++ << " << EOD\n";
    for (const Point& p : points)
      out << p.x << ' ' << p.y << ' ' << p.lower << ' ' << p.upper << '\n';
    out << "EOD\n";
  }
  std::vector<std::string> curves;
  for (const auto& [label, points] : lines)
    curves.push_back(
        fmt::format("$d{} using 1:2:3:4 with yerrorlines lw 2 pt {} title '{}' noenhanced",
                    curves.size(), curves.size() + 4, harmless(label)));
  out << "plot " << join(curves, ", ") << '\n';
}

/// The label of the x axis. A logarithmic one has no place for 0 and says what it leaves out.
std::string x_label(const Lines& lines, const Axis& x, bool logarithmic) {
  const std::string label = x.label;
  long lost = 0;
  for (const auto& [name, points] : lines)
    lost += std::count_if(points.begin(), points.end(), [](const Point& p) { return p.x <= 0.0; });
  if (!logarithmic || lost == 0) return label;
  return label + "; not shown: " + std::to_string(lost) + (lost == 1 ? " point" : " points") +
         " at 0";
}

std::string script(const Lines& lines, const Axis& x, const Axis& y, const std::string& title,
                   bool logarithmic, const std::string& terminal, const std::string& file) {
  const Extent extent = extent_of(lines);
  if (logarithmic && extent.high_x <= 0.0)
    throw Error(ErrorKind::argument,
                std::string("--log needs values above 0, all of '") + x.name + "' are 0.");
  const std::string one_place = range_if_empty('x', extent.low_x, extent.high_x);
  const bool scaled = logarithmic && one_place.empty() && !are_bars(lines);
  std::ostringstream out;
  out << "set terminal " << terminal << "\nset output '" << file << "'\n"
      << "set xlabel '" << x_label(lines, x, scaled) << "'\nset ylabel '" << y.label << "'\n"
      << "set key outside right\nset grid ytics lc rgb '#dddddd'\n"
      << y_range(extent)
      << (title.empty() ? "" : "set title '" + harmless(title) + "' noenhanced\n");
  if (are_bars(lines)) {
    put_bars(lines, out);
  } else {
    out << (scaled ? "set logscale x\n" : one_place);
    put_lines(lines, out);
  }
  return out.str();
}

bool is_svg(const std::string& path) {
  return path.ends_with(".svg");
}

std::string script_of(const std::vector<json>& documents, const FigureOptions& options, bool svg,
                      const std::string& file) {
  const auto entries = entries_of(documents);
  if (entries.empty())
    throw Error(ErrorKind::argument, "The files have no results to draw, measure something first.");
  const std::string terminal = svg ? "svg size " : "pngcairo size ";
  if (const auto kind = find_correlation(options.y)) {
    const CorrelationFigure figure = correlation_figure(*kind, entries, options.title);
    return "set terminal " + terminal + figure.size + "\nset output '" + file + "'\n" +
           figure.script;
  }
  const Axis& x = x_axis(options.x, entries);
  const Axis& y = y_axis(options.y);
  const std::string title = options.title.empty() ? title_of(entries) : options.title;
  const Lines lines = lines_of(entries, x, y, false);
  const Size size = are_bars(lines) ? BarNames(lines).size() : Size{};
  return script(lines, x, y, title, options.logarithmic,
                fmt::format("{}{:.0f},{:.0f}", terminal, size.width, size.height), file);
}

}  // namespace

bool is_of_bench(const json& document) {
  return document.is_object() && document.contains("format") &&
         document.at("format") == "pat-bench 1";
}

void check_figure_name(const std::string& path) {
  if (!is_svg(path) && !path.ends_with(".png"))
    throw Error(ErrorKind::argument, "A figure is a .png or .svg file, not '" + path + "'.");
  if (path.find_first_of("'\n\r") != std::string::npos)
    throw Error(ErrorKind::argument,
                "The name of a figure must not have apostrophes and line breaks.");
}

std::string figure_script(const std::vector<json>& documents, const FigureOptions& options,
                          bool svg, const std::string& file) {
  try {
    return script_of(documents, options, svg, file);
  } catch (const nlohmann::json::exception&) {
    throw Error(
        ErrorKind::argument,
        "A result lacks what the figure shows, or has it in another form; draw from files that "
        "'pat bench --format json' wrote.");
  }
}

void plot_figure(const std::vector<json>& documents, const FigureOptions& options,
                 const std::string& path) {
  check_figure_name(path);
  WholeFile whole(path);
  run_gnuplot(figure_script(documents, options, is_svg(path), whole.part()), whole, path);
}

}  // namespace pat
