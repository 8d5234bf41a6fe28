#include "measure/units.hpp"

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat::measure {

double parse_seconds(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  double scale = 0.0;
  if (unit == "s" || (unit.empty() && number == 0.0)) scale = 1.0;
  if (unit == "ms") scale = 1e-3;
  if (unit == "us") scale = 1e-6;
  if (unit == "ns") scale = 1e-9;
  if (end == text.c_str() || scale == 0.0 || !std::isfinite(number) || number < 0.0)
    throw Error(ErrorKind::argument,
                "'" + text + "' is not a time: write a number with ns, us, ms or s, such as 50ms.");
  return number * scale;
}

namespace {

std::size_t parse_size(const std::string& text) {
  const auto bytes = parse_bytes(text);
  if (!bytes || *bytes == 0)
    throw Error(ErrorKind::argument,
                "'" + text + "' is not a size: write bytes such as 8MiB, 64k or 4096.");
  return *bytes;
}

}  // namespace

std::vector<std::size_t> parse_sizes(const std::string& text) {
  std::vector<std::size_t> sizes;
  for (const std::string& part : split(text, ',')) {
    const auto ends = split(part, ':');
    if (ends.size() > 2)
      throw Error(ErrorKind::argument, "'" + part + "' is not a range of sizes: write 4k:1M.");
    const std::size_t last = parse_size(ends.back());
    for (std::size_t size = parse_size(ends.front()); size <= last; size *= 2)
      sizes.push_back(size);
    if (parse_size(ends.front()) > last)
      throw Error(ErrorKind::argument, "The range '" + part + "' ends before it begins.");
  }
  return sizes;
}

std::string format_bytes(std::size_t bytes) {
  static const char* const units[] = {"B", "KiB", "MiB", "GiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024.0 && unit < 3) value /= 1024.0, ++unit;
  std::ostringstream text;
  text.precision(4);
  text << value << ' ' << units[unit];
  return text.str();
}

}  // namespace pat::measure
