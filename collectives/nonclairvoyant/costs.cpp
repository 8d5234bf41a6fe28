#include "collectives/nonclairvoyant/costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat::nonclairvoyant {
namespace {

/// A line that is not empty, and where it stands.
struct Line {
  std::size_t number;
  std::vector<std::string> words;
};

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::size_t number = 0;
  for (std::string line : split(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (!words.empty()) lines.push_back({number, words});
  }
  return lines;
}

[[noreturn]] void refuse(const Line& line, const std::string& what) {
  throw Error(ErrorKind::argument, "line " + std::to_string(line.number) + " of the costs " + what);
}

double cost_of(const Line& line, std::size_t place, bool diagonal) {
  const std::string& word = line.words[place];
  if (diagonal && word == "-") return 0.0;
  char* end = nullptr;
  const double cost = std::strtod(word.c_str(), &end);
  if (*end != '\0' || !std::isfinite(cost) || cost < 0.0)
    refuse(line, "has '" + word + "', give a number that is not negative");
  return cost;
}

}  // namespace

Platform parse_platform(const std::string& text) {
  const std::vector<Line> lines = lines_of(text);
  if (lines.empty())
    throw Error(ErrorKind::argument, "the costs are empty, give n lines of n numbers, d(i,j)");
  const std::size_t n = lines.front().words.size();
  if (lines.size() != n && lines.size() != n + 1)
    throw Error(ErrorKind::argument, "the costs have " + std::to_string(lines.size()) +
                                         " lines, the first of them " + std::to_string(n) +
                                         " numbers, give a line for each processor and at most one "
                                         "more for computing");
  Platform platform;
  platform.processors = static_cast<int>(n);
  platform.computation.assign(n, 0.0);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].words.size() != n)
      refuse(lines[i], "has " + std::to_string(lines[i].words.size()) + " numbers, give " +
                           std::to_string(n));
    for (std::size_t j = 0; j < n; ++j) {
      const double cost = cost_of(lines[i], j, i == j);
      if (i < n)
        platform.communication.push_back(cost);
      else
        platform.computation[j] = cost;
    }
  }
  return platform;
}

}  // namespace pat::nonclairvoyant
