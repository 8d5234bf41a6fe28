#pragma once

#include <string>
#include <vector>

namespace pat::schedule {

/// "0,0.01,2ms" as times in seconds. `what` names the option in errors. Throws Error(argument) for
/// an empty place or anything that is no time; negative ones, NaN and infinities pass here.
std::vector<double> parse_times(const std::string& text, const std::string& what);

/// Times in a file, separated by commas, blanks or line ends; from # to the end of the line is a
/// comment. Throws Error(argument) if it cannot be read or holds anything else.
std::vector<double> read_times(const std::string& path);

}  // namespace pat::schedule
