#pragma once

#include <string>
#include <vector>

namespace pat {

/// 0.01234 to "12.3 ms": three digits.
std::string seconds_text(double value_s);
/// 0.314 to "31 %", 0.0042 to "0.4 %".
std::string percent_text(double share);
/// At most so many characters; of a longer text the end is cut, and says so.
std::string cut(const std::string& text, std::size_t width);
/// The same, cut in its middle: names of places differ at both ends.
std::string cut_middle(const std::string& text, std::size_t width);
/// "rank 3", "ranks 0 to 2, 5": of ranks in order.
std::string in_words(const std::vector<int>& ranks);

}  // namespace pat
