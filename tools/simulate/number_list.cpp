#include "tools/simulate/number_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat::simulation {
namespace {

constexpr std::size_t most_numbers = 10000;

[[noreturn]] void refuse(const std::string& what, const std::string& part) {
  throw Error(
      ErrorKind::argument,
      what + " has '" + part +
          "', give numbers that are not negative, such as 0.1,1 or 0..2:5 or 0.01..10:25log");
}

/// The whole of `text` as a number; refuses `part`, of which it is a piece, otherwise.
double number_of(const std::string& text, const std::string& what, const std::string& part) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(number) || number < 0.0) refuse(what, part);
  return number;
}

/// Without what arithmetic left behind the twelfth digit: 1 is 1 in 0.01..10:25log.
double tidy(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", number);
  return std::strtod(text, nullptr);
}

/// `part` is FIRST..LAST:COUNT or FIRST..LAST:COUNTlog, with `dots` where it says so.
std::vector<double> range_of(const std::string& part, std::size_t dots, const std::string& what) {
  const std::size_t colon = part.find(':', dots);
  if (colon == std::string::npos) refuse(what, part);
  std::string count_text = part.substr(colon + 1);
  const bool logarithmic = count_text.ends_with("log");
  if (logarithmic) count_text.resize(count_text.size() - 3);
  const double first = number_of(part.substr(0, dots), what, part),
               last = number_of(part.substr(dots + 2, colon - dots - 2), what, part),
               count = number_of(count_text, what, part);
  if (count < 2.0 || count > static_cast<double>(most_numbers) || count != std::floor(count))
    refuse(what, part);
  if (logarithmic && (first <= 0.0 || last <= 0.0)) refuse(what, part);
  std::vector<double> numbers;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const double share = i / (count - 1.0);
    numbers.push_back(
        tidy(logarithmic ? first * std::pow(last / first, share) : first + (last - first) * share));
  }
  return numbers;
}

}  // namespace

std::vector<double> parse_numbers(const std::string& text, const std::string& what) {
  std::vector<double> numbers;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dots = part.find("..");
    if (dots == std::string::npos) {
      numbers.push_back(number_of(part, what, part));
    } else {
      const std::vector<double> range = range_of(part, dots, what);
      numbers.insert(numbers.end(), range.begin(), range.end());
    }
    if (numbers.size() > most_numbers) refuse(what, part);
  }
  return numbers;
}

std::vector<int> parse_whole_numbers(const std::string& text, const std::string& what, int least,
                                     int most) {
  std::vector<int> numbers;
  for (const double number : parse_numbers(text, what)) {
    if (number < least - 0.5 || number >= most + 0.5)
      throw Error(ErrorKind::argument, what + " is to be from " + std::to_string(least) + " to " +
                                           std::to_string(most) + ", and '" + text + "' is not");
    const int whole = static_cast<int>(std::lround(number));
    if (std::find(numbers.begin(), numbers.end(), whole) == numbers.end()) numbers.push_back(whole);
  }
  return numbers;
}

}  // namespace pat::simulation
