#include "tools/trace/table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/errors.hpp"
#include "core/printable.hpp"
#include "core/whole_file.hpp"

namespace pat {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  const char separator = line.find(';') != std::string::npos    ? ';'
                         : line.find(',') != std::string::npos  ? ','
                         : line.find('\t') != std::string::npos ? '\t'
                                                                : ' ';
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, separator);) {
    const auto visible = [](char c) {
      return !std::isspace(static_cast<unsigned char>(c)) && c != '"';
    };
    const auto begin = std::find_if(cell.begin(), cell.end(), visible);
    const auto end = std::find_if(cell.rbegin(), std::make_reverse_iterator(begin), visible).base();
    if (begin != end || separator != ' ') cells.emplace_back(begin, end);
  }
  return cells;
}

/// Whether the whole cell is a number, be it a time or not.
bool is_number(const std::string& cell) {
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return !cell.empty() && end == cell.c_str() + cell.size();
}

bool to_number(const std::string& cell, double& value) {
  if (!is_number(cell)) return false;
  value = std::strtod(cell.c_str(), nullptr);
  return std::isfinite(value) && value >= 0.0;
}

}  // namespace

std::vector<std::vector<double>> parse_table(std::istream& input, const std::string& name,
                                             int skip_columns) {
  std::vector<std::vector<double>> rows;
  std::string line;
  bool begun = false;
  for (int number = 1; std::getline(input, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (number == 1 && line.starts_with("# pat-trace"))
      throw Error(ErrorKind::argument, name + " is a trace already, give it as it is");
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    std::vector<double> row;
    std::string bad;
    std::size_t bad_field = 0, numbers = 0;
    for (std::size_t c = static_cast<std::size_t>(skip_columns); c < cells.size(); ++c) {
      double value = 0.0;
      if (!to_number(cells[c], value) && bad.empty()) {
        bad = "'" + printable(cells[c]) + "'";
        bad_field = c + 1;
      }
      numbers += is_number(cells[c]);
      row.push_back(value);
    }
    const bool title = rows.empty() && !std::exchange(begun, true) && numbers == 0 && !row.empty();
    if (title) continue;
    const std::string where = name + ", line " + std::to_string(number) + ": ";
    if (!bad.empty())
      throw Error(ErrorKind::io, where + "field " + std::to_string(bad_field) + ", " + bad +
                                     ", is no time, give a number of at least 0");
    if (row.empty())
      throw Error(ErrorKind::io, where + "the line has " + std::to_string(cells.size()) +
                                     " fields, --skip-columns is " + std::to_string(skip_columns) +
                                     ", give less");
    if (!rows.empty() && rows.front().size() != row.size())
      throw Error(ErrorKind::io, where + "the line has " + std::to_string(row.size()) +
                                     " times, the ones before have " +
                                     std::to_string(rows.front().size()));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw Error(ErrorKind::io, "the file '" + name + "' holds no times");
  return rows;
}

std::vector<std::vector<double>> read_table(const std::string& path, int skip_columns) {
  std::ifstream input = open_to_read(path);
  return parse_table(input, path, skip_columns);
}

}  // namespace pat
