#include "tools/schedule/time_list.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/errors.hpp"
#include "core/printable.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "core/whole_file.hpp"

namespace pat::schedule {
namespace {

constexpr const char* remedy = "give times separated by commas, in seconds or such as 2ms";

double time_of(const std::string& text, const std::string& what) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  if (last == std::string::npos)
    throw Error(ErrorKind::argument, what + " has an empty place, " + remedy);
  const std::string word = text.substr(first, last + 1 - first);
  if (const auto seconds = parse_seconds(word, BareNumber::seconds)) return *seconds;
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);  // -1, nan: who uses it says what is wrong
  if (end != word.data() + word.size())
    throw Error(ErrorKind::argument, what + " has '" + printable(text) + "', " + remedy);
  return value;
}

}  // namespace

std::vector<double> parse_times(const std::string& text, const std::string& what) {
  std::vector<double> values;
  for (const std::string& part : split(text, ',')) values.push_back(time_of(part, what));
  return values;
}

std::vector<double> parse_time_lines(std::istream& input, const std::string& what) {
  std::vector<double> values;
  std::string line;
  while (std::getline(input, line)) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    while (words >> word) {
      if (word.ends_with(',')) word.pop_back();
      for (const double value : parse_times(word, what)) values.push_back(value);
    }
  }
  return values;
}

std::vector<double> read_times(const std::string& path) {
  std::ifstream file = open_to_read(path, "the file", ErrorKind::argument);
  return parse_time_lines(file, "the file '" + path + "'");
}

}  // namespace pat::schedule
