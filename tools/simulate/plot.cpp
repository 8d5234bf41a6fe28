#include "tools/simulate/plot.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "tools/gnuplot.hpp"
#include "tools/study/plot.hpp"

namespace pat::simulation {
namespace {

/// One colour a method, in the order of the plan; those of Okabe and Ito, which the colour-blind
/// can tell apart.
const char* const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                               "#56b4e9", "#d55e00", "#000000"};
constexpr std::size_t colour_count = std::size(colours);

const char* colour_of(std::size_t method) {
  return colours[method % colour_count];
}

/// What a line is drawn over.
struct Axis {
  const char* label;
  double (*value)(const Row&);
  bool logarithmic;
};

bool are_positive(const std::vector<double>& numbers) {
  return *std::min_element(numbers.begin(), numbers.end()) > 0.0;
}

Axis axis_of(const Plan& plan) {
  if (plan.processors.size() > 1)
    return {"processors", [](const Row& r) { return static_cast<double>(r.processors); }, true};
  if (plan.comp_ratios.size() > 1)
    return {"mean cost of computing / mean cost of sending",
            [](const Row& r) { return r.comp_ratio; }, are_positive(plan.comp_ratios)};
  return {"coefficient of variation of the costs", [](const Row& r) { return r.cv; },
          are_positive(plan.cvs)};
}

/// $m0, $m1, ...: position, mean, 10 % and 90 % quantile of each method.
void put_lines(const Plan& plan, const Rows& rows, const Axis& axis, std::ostream& script) {
  for (std::size_t m = 0; m < plan.methods.size(); ++m) {
    script << "$m" << m << " << E\n";
    for (const Row& row : rows.rows)
      if (row.outcome.method == plan.methods[m])
        script << axis.value(row) << " " << row.outcome.time.mean() << " "
               << row.outcome.quantile(0.1) << " " << row.outcome.quantile(0.9) << "\n";
    script << "E\n";
  }
}

std::string title_of(const Plan& plan) {
  std::ostringstream title;
  title << (plan.processors.size() == 1 ? std::to_string(plan.processors[0]) + " processors, " : "")
        << name(plan.distribution) << " costs";
  if (!plan.platform && plan.comp_ratios.size() == 1)
    title << ", computing " << plan.comp_ratios[0] << " of sending";
  title << ", " << plan.runs << (plan.is_map() ? " runs a square" : " runs a point");
  return study::quoted(title.str());
}

void draw_lines(const Plan& plan, const Rows& rows, const std::string& path) {
  const Axis axis = axis_of(plan);
  std::ostringstream script;
  put_lines(plan, rows, axis, script);
  const double first = axis.value(rows.rows.front()), last = axis.value(rows.rows.back());
  const std::string one_place = range_if_empty('x', first, last);
  if (axis.logarithmic && one_place.empty()) script << "set logscale xy\n";
  script << one_place << "set title " << title_of(plan) << "\nset xlabel '" << axis.label
         << "'\nset ylabel 'time, mean and 10 % to 90 % of the runs'\nset key top left\n"
         << "set style fill transparent solid 0.18 noborder\nplot ";
  std::vector<std::string> ranges, means;
  for (std::size_t m = 0; m < plan.methods.size(); ++m) {
    ranges.push_back(
        fmt::format("$m{} using 1:3:4 with filledcurves lc rgb '{}' notitle", m, colour_of(m)));
    means.push_back(fmt::format("$m{} using 1:2 with linespoints lw 2 pt {} lc rgb '{}' title {}",
                                m, m + 4, colour_of(m), study::quoted(plan.methods[m])));
  }
  script << join(ranges, ", ") << ", " << join(means, ", ") << '\n';
  study::plot(script.str(), path, 1000, 650);
}

/// The ends of the square around each number of a list, half way to its neighbours.
std::vector<double> borders(const std::vector<double>& numbers) {
  const bool logarithmic = are_positive(numbers);
  const auto to = [&](double x) { return logarithmic ? std::log(x) : x; };
  const auto from = [&](double x) { return logarithmic ? std::exp(x) : x; };
  std::vector<double> ends;
  const std::size_t n = numbers.size();
  ends.push_back(from(1.5 * to(numbers[0]) - 0.5 * to(numbers[1])));
  for (std::size_t i = 0; i + 1 < n; ++i)
    ends.push_back(from(0.5 * (to(numbers[i]) + to(numbers[i + 1]))));
  ends.push_back(from(1.5 * to(numbers[n - 1]) - 0.5 * to(numbers[n - 2])));
  return ends;
}

/// One square of a map: where it lies, and the means of all methods.
struct Square {
  double cv, ratio;
  double left, right, low, high;
  std::vector<double> means;
};

std::vector<Square> squares_of(const Plan& plan, const Rows& rows) {
  const std::vector<double> x = borders(plan.cvs), y = borders(plan.comp_ratios);
  std::vector<Square> squares;
  const std::size_t methods = plan.methods.size();
  for (std::size_t cell = 0; cell < rows.rows.size() / methods; ++cell) {
    const std::size_t i = cell % plan.cvs.size(), j = cell / plan.cvs.size();
    Square square{plan.cvs[i], plan.comp_ratios[j], x[i], x[i + 1], y[j], y[j + 1], {}};
    for (std::size_t m = 0; m < methods; ++m)
      square.means.push_back(rows.rows[cell * methods + m].outcome.time.mean());
    squares.push_back(square);
  }
  return squares;
}

/// `value` of each square as gnuplot's boxxyerror takes it, rows of the map apart.
template <class Value>
void put_squares(const char* name, const std::vector<Square>& squares, Value value,
                 std::ostream& script) {
  script << name << " << E\n";
  double ratio = squares.front().ratio;
  for (const Square& s : squares) {
    if (s.ratio != ratio) script << "\n";
    ratio = s.ratio;
    script << s.cv << " " << s.ratio << " " << s.left << " " << s.right << " " << s.low << " "
           << s.high << " " << value(s) << "\n";
  }
  script << "E\n";
}

void put_axes(const Plan& plan, std::ostream& script) {
  const std::vector<double> x = borders(plan.cvs), y = borders(plan.comp_ratios);
  if (are_positive(plan.cvs)) script << "set logscale x\n";
  if (are_positive(plan.comp_ratios)) script << "set logscale y\n";
  script << "set xrange [" << x.front() << ":" << x.back() << "]\nset yrange [" << y.front() << ":"
         << y.back()
         << "]\nset xlabel 'coefficient of variation of the costs'\n"
            "set ylabel 'mean cost of computing / mean cost of sending'\nset style fill solid 1.0\n"
            "unset grid\n";
}

void draw_ratio(const Plan& plan, const Rows& rows, const std::string& path) {
  const std::vector<Square> squares = squares_of(plan, rows);
  const auto ratio = [](const Square& s) { return s.means[0] / s.means[1]; };
  double furthest = 1.01;  // from 1, as a factor
  for (const Square& s : squares) furthest = std::max({furthest, ratio(s), 1.0 / ratio(s)});
  std::ostringstream script;
  put_squares("$squares", squares, ratio, script);
  put_axes(plan, script);
  const bool whole_rows = squares.size() % plan.cvs.size() == 0 && squares.size() > plan.cvs.size();
  if (whole_rows)  // a contour needs a grid
    script << "set contour base\nset cntrparam levels discrete 1\nunset surface\n"
              "set table $contour\nsplot $squares using 1:2:7 with lines\nunset table\n"
              "unset contour\nset surface\n";
  script << "set logscale cb\nset cbrange [" << 1.0 / furthest << ":" << furthest
         << "]\nset palette defined (0 '#2166ac', 1 '#f7f7f7', 2 '#b2182b')\n"
         << "set cbtics (0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2, 3)\nset title "
         << title_of(plan) << "\nset cblabel "
         << study::quoted("mean of " + plan.methods[0] + " / mean of " + plan.methods[1])
         << "\nplot $squares using 1:2:3:4:5:6:7 with boxxyerror lc palette notitle";
  if (whole_rows) script << ", $contour using 1:2 with lines lw 2 lc rgb 'black' title 'ratio 1'";
  study::plot(script.str() + "\n", path, 1000, 650);
}

void draw_best(const Plan& plan, const Rows& rows, const std::string& path) {
  const std::vector<Square> squares = squares_of(plan, rows);
  const auto best = [](const Square& s) {
    return std::min_element(s.means.begin(), s.means.end()) - s.means.begin();
  };
  std::ostringstream script;
  put_squares("$squares", squares, best, script);
  put_axes(plan, script);
  script << "set title " << title_of(plan) << "\nset bmargin 6\nset key outside below\nplot ";
  std::vector<std::string> fields;
  for (std::size_t m = 0; m < plan.methods.size(); ++m)
    fields.push_back(
        fmt::format("$squares using ($7=={}?$1:1/0):2:3:4:5:6 with boxxyerror lc rgb '{}' title {}",
                    m, colour_of(m), study::quoted(plan.methods[m])));
  script << join(fields, ", ") << '\n';
  study::plot(script.str(), path, 1000, 650);
}

}  // namespace

void check_picture(const Plan& plan, const std::string& path) {
  study::check_plot(path);
  const bool over_processors = plan.processors.size() > 1;
  if (over_processors && (plan.cvs.size() > 1 || plan.comp_ratios.size() > 1))
    throw Error(ErrorKind::argument,
                "a picture has processors or costs on its axis, give one --n, or one --cv and one "
                "--comp-ratio");
  if (plan.is_map() && plan.methods.size() < 2)
    throw Error(ErrorKind::argument,
                "a picture over --cv and --comp-ratio compares methods, give two or more");
}

void draw(const Plan& plan, const Rows& rows, const std::string& path) {
  if (!plan.is_map())
    draw_lines(plan, rows, path);
  else if (plan.methods.size() == 2)
    draw_ratio(plan, rows, path);
  else
    draw_best(plan, rows, path);
}

}  // namespace pat::simulation
