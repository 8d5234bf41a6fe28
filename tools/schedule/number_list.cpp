#include "tools/schedule/number_list.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat::schedule {
namespace {

double number(const std::string& text, const std::string& what) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::size_t last = text.find_last_not_of(" \t\r");
  const bool blank = last == std::string::npos;
  if (blank || end != text.c_str() + last + 1)
    throw Error(ErrorKind::argument, what +
                                         (blank ? " has an empty place" : " has '" + text + "'") +
                                         ", give numbers separated by commas");
  return value;
}

}  // namespace

std::vector<double> parse_numbers(const std::string& text, const std::string& what) {
  std::vector<double> values;
  for (const std::string& part : split(text, ',')) values.push_back(number(part, what));
  return values;
}

std::vector<double> read_numbers(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw Error(ErrorKind::argument, "the file '" + path + "' cannot be read");
  std::vector<double> values;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    while (words >> word) {
      if (word.ends_with(',')) word.pop_back();
      for (const double value : parse_numbers(word, "the file '" + path + "'"))
        values.push_back(value);
    }
  }
  return values;
}

}  // namespace pat::schedule
