#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "core/text.hpp"
#include "tools/gnuplot.hpp"
#include "tools/predict/plots.hpp"
#include "tools/study/plot.hpp"

namespace pat::predict {

namespace {

/// Points of one trace and model: forecasts sent, and the gain kept in per cent.
struct Curve {
  std::string fixed, interval;
};

std::string curve_of(const Row& row) {
  return row.subject->name + " " + row.model;
}

bool has_gain(const Row& row) {
  return row.rank < 0 && std::isfinite(row.gain.kept());
}

/// Says of which traces and models the picture has nothing. There is none if `curves` is empty.
void report_missing(const Options& options, const std::vector<Row>& rows,
                    const std::map<std::string, Curve>& curves) {
  std::set<std::string> missing;
  for (const Row& row : rows)
    if (curves.count(curve_of(row)) == 0) missing.insert(curve_of(row));
  if (curves.empty())
    std::cerr << "pat: nothing is to be gained, so '" << options.plot_exchange
              << "' is not drawn; see the columns lost and kept, and try smaller --bytes\n";
  else if (!missing.empty())
    std::cerr << "pat: nothing is to be gained with " << join(missing, ", ") << ", which '"
              << options.plot_exchange << "' does not show\n";
}

}  // namespace

void plot_exchange(const Options& options, const std::vector<Subject>& subjects,
                   const std::vector<Row>& rows) {
  std::map<std::string, Curve> curves;
  std::vector<double> sent, kept;
  for (const Row& row : rows) {
    if (!has_gain(row)) continue;
    Curve& curve = curves[curve_of(row)];
    sent.push_back(row.sent);
    kept.push_back(100.0 * row.gain.kept());
    (row.exchange == "interval" ? curve.interval : curve.fixed) +=
        std::to_string(sent.back()) + " " + std::to_string(kept.back()) + "\n";
  }
  report_missing(options, rows, curves);
  if (curves.empty()) return;
  std::ostringstream script;
  std::vector<std::string> lines;
  int number = 0;
  for (const auto& [label, curve] : curves) {
    ++number;
    const std::string id = std::to_string(number);
    script << "$fixed" << id << " << E\n"
           << curve.fixed << "E\n"
           << "$interval" << id << " << E\n"
           << curve.interval << "E\n";
    const auto add = [&](const char* data, const char* style, const std::string& title) {
      lines.push_back(std::string("$") + data + id + " with " + style + " lc " + id + " title " +
                      study::quoted(title));
    };
    if (!curve.fixed.empty()) add("fixed", "linespoints lw 2 pt 7 ps 0.8", label);
    if (!curve.interval.empty())
      add("interval", "points pt 3 ps 2 lw 2", label + ", on leaving the interval");
  }
  const auto [fewest, most] = std::minmax_element(sent.begin(), sent.end());
  const auto [lowest, highest] = std::minmax_element(kept.begin(), kept.end());
  const std::string one_place = range_if_empty('x', *fewest, *most);
  if (subjects.size() == 1)
    script << "set title " << study::quoted(title_of(subjects.front())) << "\n";
  script << "set xlabel \"forecasts sent per rank and iteration\\n \"\n"
         << (one_place.empty() ? "set logscale x 2\n" : one_place)
         << range_if_empty('y', *lowest, *highest)
         << "set ylabel 'gain kept (%)'\nset key outside below\nplot " << join(lines, ", ") << "\n";
  study::plot(script.str(), options.plot_exchange, 1000, 650);
}

}  // namespace pat::predict
