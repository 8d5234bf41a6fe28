#include "bench/regret/table.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

#include "core/statistics.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace pat::regret {
namespace {

template <typename... Values>
std::string print(const char* form, Values... values) {
  char text[64];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

std::string shown(const std::optional<Ratio>& ratio) {
  return ratio ? print("%.3f", ratio->value) : "-";
}

std::string with_interval(const std::optional<Ratio>& ratio) {
  if (!ratio) return "-";
  return print("%.3f [%.3f, %.3f]", ratio->value, ratio->interval.lower, ratio->interval.upper);
}

/// One question that is asked of every row.
struct Question {
  const char* name;  ///< as it stands in the table where it is missed
  std::string meaning;
  std::function<std::optional<bool>(const Row&)> met;
};

std::vector<Question> questions(const Aims& aims) {
  const auto share = [](double ratio) { return print("%g %%", 100.0 * (ratio - 1.0)); };
  return {
      {"best",
       "auto within " + share(aims.over_best) +
           " of the best way (upper end of the interval within " + share(aims.over_best_end) + ")",
       [&aims](const Row& row) { return row.near_best(aims); }},
      {"mpi", "auto at most " + print("%g", aims.over_mpi) + " of mpi",
       [&aims](const Row& row) { return row.never_slower(aims); }},
      {"gain",
       "at least " + print("%g %%", 100.0 * aims.gain_share) +
           " of the gain, where the best way is " +
           print("%g %%", 100.0 * (1.0 - aims.clear_gain)) +
           " ahead of mpi and the arrivals could be known",
       [&aims](const Row& row) { return row.shares_gain(aims); }},
      {"change",
       "within " + share(aims.over_best) + " of the best way " +
           std::to_string(aims.calls_to_settle) + " calls after a change",
       [&aims](const Row& row) { return row.settles(aims); }},
  };
}

std::string missed(const Row& row, const std::vector<Question>& all) {
  std::vector<std::string> names;
  for (const Question& question : all)
    if (question.met(row) == false) names.push_back(question.name);
  return names.empty() ? "-" : join(names, ",");
}

std::string state_of(const Cell& cell) {
  if (!cell.changed) return "";
  return *cell.changed ? "changed" : "as before";
}

using Line = std::vector<std::string>;

Line text_line(const Row& row, const std::vector<Question>& all) {
  const Cell& cell = row.cell;
  const std::string state = state_of(cell);
  return {
      cell.network,
      cell.operation,
      format_bytes(cell.bytes),
      cell.pattern + (state.empty() ? "" : " (" + state + ")"),
      cell.knowledge,
      std::to_string(row.calls),
      row.best.empty() ? "-" : row.best,
      shown(row.best_over_mpi),
      with_interval(row.auto_over_best),
      with_interval(row.auto_over_mpi),
      shown(row.mpi_over_plain),
      row.gain_share ? print("%.0f %%", 100.0 * *row.gain_share) + (row.known ? "" : " ?") : "-",
      row.settling ? std::to_string(row.settling->calls) : "-",
      missed(row, all)};
}

/// Each column as wide as its widest field.
void write_aligned(const std::vector<Line>& lines, std::ostream& out) {
  std::vector<std::size_t> width;
  for (const Line& line : lines) {
    width.resize(line.size(), 0);
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());
  }
  for (const Line& line : lines) {
    for (std::size_t c = 0; c + 1 < line.size(); ++c)
      out << line[c] << std::string(width[c] - line[c].size() + 2, ' ');
    out << line.back() << "\n";
  }
}

void write_summary(const std::vector<Row>& rows, const std::vector<Question>& all,
                   std::ostream& out) {
  for (const Question& question : all) {
    int asked = 0, met = 0;
    for (const Row& row : rows)
      if (const auto answer = question.met(row)) {
        ++asked;
        met += *answer;
      }
    out << question.meaning << ": ";
    if (asked == 0)
      out << "asked in no cell\n";
    else
      out << "in " << met << " of " << asked << " cells\n";
  }
}

std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '"');
  return '"' + text + '"';
}

std::string number(const std::optional<double>& value) {
  return value ? print("%.6g", *value) : "";
}

/// The value and the two ends of its interval.
std::string numbers(const std::optional<Ratio>& ratio) {
  if (!ratio) return ",,";
  return print("%.6g,%.6g,%.6g", ratio->value, ratio->interval.lower, ratio->interval.upper);
}

std::string median_s(const Cell& cell, const std::string& name) {
  const measure::Series* way = cell.way(name);
  if (way == nullptr || way->samples.empty()) return "";
  return print("%.6g", median(way->column(&measure::Sample::run_s)));
}

}  // namespace

void write_text(const std::vector<Row>& rows, const Aims& aims, std::ostream& out) {
  const auto all = questions(aims);
  std::vector<Line> lines = {{"network", "operation", "size", "pattern", "knowledge", "calls",
                              "best", "best/mpi", "auto/best", "auto/mpi", "mpi/plain", "gain",
                              "settles", "missed"}};
  for (const Row& row : rows) lines.push_back(text_line(row, all));
  write_aligned(lines, out);
  out << "\n";
  write_summary(rows, all, out);
  bool any = false;
  for (const Row& row : rows) {
    if (missed(row, all) == "-" || row.cell.chosen.empty()) continue;
    if (!any)
      out << "\nwhat auto took where an aim is missed (calls, warm-up too; its main reason):\n";
    any = true;
    out << row.cell.network << ", " << row.cell.title() << "; " << row.cell.chosen << "\n";
  }
}

void write_csv(const std::vector<Row>& rows, const Aims& aims, std::ostream& out) {
  const auto all = questions(aims);
  out << "network,operation,ranks,bytes,pattern,state,knowledge,known,calls,best,mpi_s,best_s,auto_"
         "s,"
         "best_over_mpi,best_over_mpi_lower,best_over_mpi_upper,"
         "auto_over_best,auto_over_best_lower,auto_over_best_upper,"
         "auto_over_mpi,auto_over_mpi_lower,auto_over_mpi_upper,"
         "mpi_over_plain,mpi_over_plain_lower,mpi_over_plain_upper,"
         "gain_share,calls_to_settle,settled_over_best,missed,chosen\n";
  for (const Row& row : rows) {
    const Cell& cell = row.cell;
    out << cell.network << ',' << cell.operation << ',' << cell.ranks << ',' << cell.bytes << ','
        << quoted(cell.pattern) << ',' << state_of(cell) << ',' << cell.knowledge << ','
        << (row.known ? "yes" : "no") << ',' << row.calls << ',' << row.best << ','
        << median_s(cell, "mpi") << ',' << median_s(cell, row.best) << ',' << median_s(cell, "auto")
        << ',' << numbers(row.best_over_mpi) << ',' << numbers(row.auto_over_best) << ','
        << numbers(row.auto_over_mpi) << ',' << numbers(row.mpi_over_plain) << ','
        << number(row.gain_share) << ','
        << (row.settling ? print("%d,%.6g", row.settling->calls, row.settling->over_best) : ",")
        << ',' << quoted(missed(row, all)) << ',' << quoted(cell.chosen) << '\n';
  }
}

}  // namespace pat::regret
