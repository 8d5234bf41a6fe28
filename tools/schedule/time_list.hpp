#pragma once

#include <istream>
#include <string>
#include <vector>

namespace pat::schedule {

/// "0,0.01,2ms" as times in seconds. `what` names the option in errors. Throws Error(argument) for
/// an empty place or anything that is no time; negative ones, NaN and infinities pass here.
std::vector<double> parse_times(const std::string& text, const std::string& what);

/// Times in a text, separated by commas, blanks or line ends; from # to the end of the line is a
/// comment. `what` names it in errors. Throws Error(argument) if it holds anything else.
std::vector<double> parse_time_lines(std::istream& input, const std::string& what);
/// As parse_time_lines, for a file. Throws Error(argument) if it cannot be read.
std::vector<double> read_times(const std::string& path);

}  // namespace pat::schedule
