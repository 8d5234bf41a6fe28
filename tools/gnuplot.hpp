#pragma once

#include <string>

#include "core/whole_file.hpp"

namespace pat {

/// Runs gnuplot on a script that draws into `file.part()`, and gives the file its name. gnuplot's
/// remarks reach nobody. Throws Error(io) that names `path` if gnuplot is missing or fails; then
/// there is no file. Not thread-safe (it ignores SIGPIPE while gnuplot reads).
void run_gnuplot(const std::string& script, WholeFile& file, const std::string& path);

/// Text for a script, to stand between quotes.
std::string harmless(std::string text);

/// "set <axis>range ..." around the one value where `low` and `high`, the ends of the values, are
/// the same; empty where they are not and gnuplot finds a range by itself. For linear scales.
std::string range_if_empty(char axis, double low, double high);

}  // namespace pat
