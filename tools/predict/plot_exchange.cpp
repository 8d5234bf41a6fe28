#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "tools/gnuplot.hpp"
#include "tools/predict/plots.hpp"
#include "tools/study/plot.hpp"

namespace pat::predict {

void plot_exchange(const Options& options, const std::vector<Row>& rows) {
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
  std::ostringstream script;
  std::vector<std::string> lines;
  int number = 0;
  for (const auto& [label, points] : curves) {
    ++number;
    const std::string id = std::to_string(number);
    script << "$fixed" << id << " << E\n"
           << points.first << "E\n"
           << "$interval" << id << " << E\n"
           << points.second << "E\n";
    const auto add = [&](const char* data, const char* style, const std::string& title) {
      lines.push_back(std::string("$") + data + id + " with " + style + " lc " + id + " title " +
                      study::quoted(title));
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
         << "set ylabel 'gain kept (%)'\nset key outside below\nplot " << join(lines, ", ") << "\n";
  study::plot(script.str(), options.plot_exchange, 1000, 650);
}

}  // namespace pat::predict
