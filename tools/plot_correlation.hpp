#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pat {

/// How the run times of a series depend on those before (seed 004 Section 6.2, Appendix E).
enum class Correlation { autocorrelation, spectrum };

/// "autocorrelation" or "spectrum"; nothing for another name.
std::optional<Correlation> find_correlation(const std::string& name);

struct CorrelationFigure {
  std::string script;  ///< of gnuplot, without terminal and output
  std::string size;    ///< pixels, "900,400"
};

/// A panel a result of `pat bench --format json`: the autocorrelation of its run times over the lag
/// with the 95 % bounds of white noise, or their periodogram over the frequency with the mean and
/// the 95 % limit of one ordinate of white noise. Throws Error(argument) if none of the results has
/// values, or more than 16 have.
CorrelationFigure correlation_figure(Correlation kind, const std::vector<nlohmann::json>& results,
                                     const std::string& title);

}  // namespace pat
