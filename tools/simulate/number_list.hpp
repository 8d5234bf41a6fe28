#pragma once

#include <string>
#include <vector>

namespace pat::simulation {

/// "0.1,1,2" or "0..2:5" (so many numbers, evenly from one end to the other) or "0.01..10:25log"
/// (evenly on a logarithmic scale), or several of these with commas between. `what` names the list
/// in the Error(argument) for anything else, for negative numbers and for more than 10000.
std::vector<double> parse_numbers(const std::string& text, const std::string& what);

/// As parse_numbers, rounded to whole numbers from `least` to `most`, each once.
std::vector<int> parse_whole_numbers(const std::string& text, const std::string& what, int least,
                                     int most);

}  // namespace pat::simulation
