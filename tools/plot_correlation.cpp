#include "tools/plot_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/errors.hpp"
#include "core/json_number.hpp"
#include "core/units.hpp"
#include "tools/gnuplot.hpp"

namespace pat {
namespace {

using nlohmann::json;

constexpr std::size_t most_panels = 16;

std::vector<double> values_of(Correlation kind, const json& result) {
  const char* field = kind == Correlation::spectrum ? "periodogram_s2" : "autocorrelation";
  return result.value(field, std::vector<double>());
}

std::string name_of(const json& result) {
  return result.at("operation").get<std::string>() + " " +
         result.at("algorithm").get<std::string>() + ", " +
         format_bytes(whole_number(result.at("bytes"))) + ", " +
         result.at("pattern").get<std::string>();
}

void put_autocorrelation(const json& result, const std::vector<double>& values, std::ostream& out) {
  const double bound = result.at("autocorrelation_bound");
  const double most = std::max(1.05, 1.05 * bound);
  out << "set yrange [" << -most << ":" << most << "]\n"
      << "set xrange [-0.7:" << static_cast<double>(values.size()) - 0.3 << "]\n"
      << "plot " << bound << " with lines lc rgb '#b03030' dt 2 title '95 %', " << -bound
      << " with lines lc rgb '#b03030' dt 2 notitle, "
      << "$values using 0:1 with impulses lw 4 lc rgb '#30609f' notitle\n";
}

/// Ordinate j (from 0) belongs to j + 1 cycles in the whole series. Those of white noise are spread
/// as chi squared with two degrees of freedom: one in twenty exceeds ln 20 times the mean.
void put_spectrum(const json& result, const std::vector<double>& values, std::ostream& out) {
  double mean = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  const double n = result.at("iterations");
  out << "set xrange [0:0.5]\nset yrange [0:" << (mean > 0.0 ? "*" : "1") << "]\n"
      << "plot $values using (($0 + 1) / " << n
      << "):($1 * 1e6) with linespoints pt 7 ps 0.4 lw 1.5 lc rgb '#30609f' notitle, " << 1e6 * mean
      << " with lines lc rgb '#777777' dt 2 title 'mean', " << 1e6 * mean * std::log(20.0)
      << " with lines lc rgb '#b03030' dt 2 title '95 %'\n";
}

}  // namespace

std::optional<Correlation> find_correlation(const std::string& name) {
  if (name == "autocorrelation") return Correlation::autocorrelation;
  if (name == "spectrum") return Correlation::spectrum;
  return std::nullopt;
}

CorrelationFigure correlation_figure(Correlation kind, const std::vector<json>& results,
                                     const std::string& title) {
  std::vector<const json*> panels;
  for (const json& result : results)
    if (values_of(kind, result).size() > 1) panels.push_back(&result);
  if (panels.empty())
    throw Error(
        ErrorKind::argument,
        "The results have no autocorrelation or spectrum to draw, measure more iterations.");
  if (panels.size() > most_panels)
    throw Error(ErrorKind::argument, "There are " + std::to_string(panels.size()) +
                                         " results to draw, a figure has room for " +
                                         std::to_string(most_panels) + "; measure them in parts.");
  const auto columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(panels.size()))));
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  std::ostringstream out;
  out << "set multiplot layout " << rows << "," << columns;
  if (!title.empty()) out << " title '" << harmless(title) << "' noenhanced";
  out << "\nset grid ytics lc rgb '#dddddd'\nset key top right\n";
  if (kind == Correlation::spectrum)
    out << "set xlabel 'cycles an iteration'\nset ylabel 'spectrum (ms^2)'\n";
  else
    out << "set xlabel 'lag (iterations)'\nset ylabel 'autocorrelation'\n";
  for (const json* panel : panels) {
    const std::vector<double> values = values_of(kind, *panel);
    out << "set title '" << harmless(name_of(*panel)) << "' noenhanced\n$values << EOD\n";
    for (const double value : values) out << value << "\n";
    out << "EOD\n";
    kind == Correlation::spectrum ? put_spectrum(*panel, values, out)
                                  : put_autocorrelation(*panel, values, out);
  }
  out << "unset multiplot\n";
  return {out.str(), std::to_string(std::max(600, 450 * columns)) + "," +
                         std::to_string(std::max(400, 330 * rows))};
}

}  // namespace pat
