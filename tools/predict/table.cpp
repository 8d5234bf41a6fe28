#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

#include "collectives/call_name.hpp"
#include "core/printable.hpp"
#include "core/text.hpp"
#include "tools/predict/columns.hpp"
#include "tools/predict/report.hpp"
#include "tools/predict/verdict.hpp"

namespace pat::predict {
namespace {

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

/// What the trace does not tell, and how to name another.
std::string assumed(const study::GainOptions& gain) {
  std::vector<std::string> taken, options;
  const auto add = [&](bool told, const std::string& what, const char* option) {
    if (told) return;
    taken.push_back(what);
    options.push_back(option);
  };
  add(gain.operation_told, std::string(name(gain.operation)), "--op");
  add(gain.bytes_told, std::to_string(gain.bytes) + " bytes", "--bytes");
  if (taken.empty()) return "";
  return "(assumed, as the trace does not tell: " + join(taken, ", ") + "; " +
         join(options, " and ") + " to name another)\n";
}

/// In lines of at most 120 columns, where there are blanks.
std::string wrapped(std::string text) {
  constexpr std::size_t columns = 120;
  for (std::size_t begin = 0; text.size() - begin > columns;) {
    const std::size_t blank = text.rfind(' ', begin + columns);
    if (blank == std::string::npos || blank < begin) break;
    text[blank] = '\n';
    begin = blank + 1;
  }
  return text;
}

/// A trace: how good the forecasts were, and what they were worth.
void print_subject(const Subject& subject, const std::vector<Row>& rows, bool with_gain) {
  std::vector<const Row*> all, whole;
  for (const Row& row : rows) {
    if (row.subject != &subject) continue;
    all.push_back(&row);
    if (row.rank < 0) whole.push_back(&row);
  }
  std::cout << printable(subject.name) << ", forecasts against arrivals:\n";
  print_columns(all, accuracy_columns);
  if (!with_gain) return;
  const study::GainOptions& gain = subject.gain;
  std::cout << "\n"
            << printable(subject.name) << ", simulated "
            << text_of({gain.operation, gain.root, gain.bytes}) << ", " << gain.algorithm
            << " against " << gain.against << ":\n"
            << assumed(gain);
  print_columns(whole, gain_columns);
}

/// What the columns are, below the tables.
void print_legend(const Options& options) {
  std::cout
      << "\nForecasts of the iterations from " << options.skip
      << " on against the arrivals, mean of the ranks:\n"
      << "  MAE, RMSE, MAPE  mean absolute error, root mean square, mean share of the arrival\n"
         "  bias             forecast minus arrival, mean\n"
         "  tau              Kendall's tau of the order of arrival, 1: all pairs right\n"
         "  last             iterations whose last arriver was foretold\n"
         "  cover, width     arrivals within the 90 % interval, and its mean width\n"
         "  sent             forecasts sent per rank and iteration; /k behind a model: every "
         "k-th iteration\n";
  if (options.replay.edge > 0.0)
    std::cout << "A trace's edges (PAT_Edge) are not replayed: these assume one at "
              << options.replay.edge << " of the work, with an uneven pace.\n";
  else
    std::cout << "A trace's edges (PAT_Edge) are not replayed: these forecasts know the past and "
                 "hints alone; --edge 0.5 assumes edges.\n";
  if (options.no_gain) return;
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
      << (options.gain.only_if_sure ? "(--sure)" : "(all without --sure)") << "\n";
}

}  // namespace

void print_table(const Options& options, const std::vector<Subject>& subjects,
                 const std::vector<Row>& rows) {
  for (const Subject& subject : subjects) {
    if (&subject != &subjects.front()) std::cout << "\n";
    print_subject(subject, rows, !options.no_gain);
  }
  print_legend(options);
  if (options.no_gain) return;
  for (const Subject& subject : subjects) {
    const std::string verdict = verdict_on(subject, rows);
    if (verdict.empty()) continue;
    std::cout << "\n"
              << wrapped((subjects.size() > 1 ? printable(subject.name) + ": " : "") + verdict)
              << "\n";
  }
}

}  // namespace pat::predict
