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
/// The same of the name of a place, "gather, root 0, 64 bytes, after region gather at a/solver.c:81
/// (solve<double>)": template arguments and folders go first, then what is between the beginning
/// and file and line, which stay. A name without them is cut in its middle.
std::string cut_place(const std::string& place, std::size_t width);
/// In a sentence, which then has three lines of a screen at most.
constexpr std::size_t longest_place = 90;
/// "rank 3", "ranks 0-2, 4 and 5": of ranks in order.
std::string in_words(const std::vector<int>& ranks);

}  // namespace pat
