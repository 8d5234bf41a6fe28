#include "tools/simulate/print.hpp"

#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace pat::simulation {
namespace {

/// A number of a row: its name, its heading in the table (empty: not there).
struct Column {
  const char* name;
  const char* heading;
  std::function<double(const Row&)> value;  ///< NaN: there is none
};

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"mean", "mean", [](const Row& r) { return r.outcome.time.mean(); }},
      {"standard_error", "+-", [](const Row& r) { return r.outcome.time.standard_error(); }},
      {"standard_deviation", "sd",
       [](const Row& r) { return r.outcome.time.standard_deviation(); }},
      {"least", "", [](const Row& r) { return r.outcome.time.least(); }},
      {"quantile_10", "10 %", [](const Row& r) { return r.outcome.quantile(0.1); }},
      {"median", "median", [](const Row& r) { return r.outcome.quantile(0.5); }},
      {"quantile_90", "90 %", [](const Row& r) { return r.outcome.quantile(0.9); }},
      {"greatest", "", [](const Row& r) { return r.outcome.time.greatest(); }},
      {"theory_mean", "theory", [](const Row& r) { return r.theory ? r.theory->mean : NAN; }},
      {"theory_standard_deviation", "its sd",
       [](const Row& r) { return r.theory ? std::sqrt(r.theory->variance) : NAN; }}};
  return all;
}

std::string significant(double number, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << number;
  return text.str();
}

/// With so many digits after the point that five are significant, at most four.
std::string fixed(double number) {
  if (std::isnan(number)) return "-";
  const int before =
      std::abs(number) < 10.0 ? 1 : 1 + static_cast<int>(std::log10(std::abs(number)));
  std::ostringstream text;
  text << std::fixed << std::setprecision(std::max(0, 5 - before)) << number;
  return text.str();
}

/// Rows of cells; the columns from `first_right` on stand to the right.
void print_aligned(const std::vector<std::vector<std::string>>& lines, std::size_t first_right) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - line[i].size(), ' ');
      text += (i == 0 ? "" : "  ") + (i < first_right ? line[i] + blanks : blanks + line[i]);
    }
    std::cout << text << "\n";
  }
}

}  // namespace

void print_table(const Plan& plan, const Rows& rows) {
  std::vector<std::vector<std::string>> lines = {{"method", "n", "cv", "c/d", "runs"}};
  for (const Column& column : columns())
    if (*column.heading != '\0') lines.front().push_back(column.heading);
  for (const Row& row : rows.rows) {
    lines.push_back({row.outcome.method, std::to_string(row.processors), significant(row.cv, 4),
                     plan.platform ? "file" : significant(row.comp_ratio, 4),
                     std::to_string(row.outcome.time.count())});
    for (const Column& column : columns())
      if (*column.heading != '\0') lines.back().push_back(fixed(column.value(row)));
  }
  print_aligned(lines, 1);
  std::cout
      << "\nWhen the result was there, in the unit of the costs; " << name(plan.distribution)
      << " costs, seed " << plan.seed
      << ":\n"
         "  n, cv       processors, coefficient of variation of the costs\n"
         "  c/d         mean cost of computing over that of a communication\n"
         "  +-, sd      standard error of the mean, standard deviation of a run\n"
         "  10 %, 90 %  quantiles, within 0.1 %, as the median is\n"
         "  theory      the mean by a closed form or a Markov chain, and its sd; -: not known\n";
}

void print_csv(const Plan& plan, const Rows& rows) {
  std::cout << "method,processors,distribution,cv,comp_ratio,runs";
  for (const Column& column : columns()) std::cout << "," << column.name;
  std::cout << "\n" << std::setprecision(9);
  for (const Row& row : rows.rows) {
    std::cout << row.outcome.method << "," << row.processors << "," << name(plan.distribution)
              << "," << row.cv << ",";
    if (!plan.platform) std::cout << row.comp_ratio;
    std::cout << "," << row.outcome.time.count();
    for (const Column& column : columns()) {
      const double value = column.value(row);
      std::cout << ",";
      if (!std::isnan(value)) std::cout << value;
    }
    std::cout << "\n";
  }
}

void print_json(const Plan& plan, const Rows& rows) {
  nlohmann::ordered_json result = {{"distribution", name(plan.distribution)},
                                   {"mean_communication", plan.mean},
                                   {"seed", plan.seed},
                                   {"stopped", rows.stopped()},
                                   {"results", nlohmann::ordered_json::array()}};
  if (plan.platform) result.erase("mean_communication");
  for (const Row& row : rows.rows) {
    nlohmann::ordered_json entry = {{"method", row.outcome.method},
                                    {"processors", row.processors},
                                    {"cv", row.cv},
                                    {"comp_ratio", row.comp_ratio},
                                    {"runs", row.outcome.time.count()}};
    if (plan.platform) entry.erase("comp_ratio");
    for (const Column& column : columns())
      if (const double value = column.value(row); !std::isnan(value)) entry[column.name] = value;
    result["results"].push_back(std::move(entry));
  }
  std::cout << result.dump(2) << "\n";
}

}  // namespace pat::simulation
