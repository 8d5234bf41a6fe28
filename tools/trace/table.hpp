#pragma once

#include <istream>
#include <string>
#include <vector>

namespace pat {

/// The times in a table, row by row, all of the same length: columns parted by semicolons, commas,
/// tabs or blanks (the first of these that a line has), a line of titles above them, lines that
/// begin with # left out. The first `skip_columns` columns are no times. `name` is how errors call
/// the source. Throws Error(io) that names line and field.
std::vector<std::vector<double>> parse_table(std::istream& input, const std::string& name,
                                             int skip_columns);
/// As parse_table, for a file. Throws Error(io) if it cannot be opened.
std::vector<std::vector<double>> read_table(const std::string& path, int skip_columns);

}  // namespace pat
