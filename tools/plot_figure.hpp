#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pat {

/// Which of the measured numbers a figure shows.
struct FigureOptions {
  std::string x = "auto";    ///< delay, size or ranks; auto: whichever takes most values
  std::string y = "run";     ///< run, median, elapsed, ratio, absorption, autocorrelation, spectrum
  std::string title;         ///< empty: what all results have in common
  bool logarithmic = false;  ///< logarithmic x axis
};

/// Whether `pat bench --format json` wrote it.
bool is_of_bench(const nlohmann::json& document);

/// Throws Error(argument) for a name that no figure can have.
void check_figure_name(const std::string& path);

/// What gnuplot is told for such a figure, drawn into `file`. Throws Error(argument) as
/// plot_figure().
std::string figure_script(const std::vector<nlohmann::json>& documents,
                          const FigureOptions& options, bool svg, const std::string& file);

/// Draws the results of one or more runs of `pat bench --format json` as lines with error bars, one
/// line an operation and algorithm, and of each size where several fall together (a bar, where
/// there is one delay, size and number of processes), into a PNG or SVG file (by its ending) with
/// gnuplot: means with standard deviations, as the papers do. Autocorrelations and spectra come as
/// a panel each (tools/plot_correlation.hpp). Throws Error(argument) for documents that are none or
/// have nothing to draw, Error(io) if gnuplot or the file fails.
void plot_figure(const std::vector<nlohmann::json>& documents, const FigureOptions& options,
                 const std::string& path);

}  // namespace pat
