#pragma once

#include <string>
#include <vector>

namespace pat::schedule {

/// "0,0.01,2e-3" as numbers. `what` names the option in errors. Throws Error(argument) for an empty
/// place or anything that is not a number; NaN and infinities are numbers here.
std::vector<double> parse_numbers(const std::string& text, const std::string& what);

/// Numbers in a file, separated by commas, blanks or line ends; from # to the end of the line is a
/// comment. Throws Error(argument) if it cannot be read or holds anything else.
std::vector<double> read_numbers(const std::string& path);

}  // namespace pat::schedule
