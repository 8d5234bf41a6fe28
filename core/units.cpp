#include "core/units.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat {
namespace {

struct Quantity {
  double number;
  std::string unit;
};

/// A number of at least 0 and what stands behind it.
std::optional<Quantity> parse_quantity(const std::string& text) {
  Quantity quantity{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, quantity.number);
  if (error != std::errc{} || !std::isfinite(quantity.number) || quantity.number < 0.0)
    return std::nullopt;
  quantity.unit.assign(end, last);
  return quantity;
}

/// How many of a unit a second has, by which 25us is 25e-6 to the last bit; 0 for what is none.
double in_a_second(const std::string& unit) {
  if (unit == "s") return 1.0;
  if (unit == "ms") return 1e3;
  if (unit == "us") return 1e6;
  if (unit == "ns") return 1e9;
  return 0.0;
}

/// Bytes of a unit; 0 for what is none.
double bytes_in(std::string unit) {
  if (unit.ends_with('B')) unit.pop_back();
  if (unit.empty()) return 1.0;
  if (unit.ends_with('i')) unit.pop_back();
  if (unit == "k" || unit == "K") return 1024.0;
  if (unit == "M") return 1024.0 * 1024.0;
  if (unit == "G") return 1024.0 * 1024.0 * 1024.0;
  return 0.0;
}

std::size_t parse_size(const std::string& text) {
  const auto bytes = parse_bytes(text);
  if (!bytes || *bytes == 0)
    throw Error(ErrorKind::argument,
                "'" + text + "' is not a size: write bytes such as 8MiB, 64k or 4096.");
  return *bytes;
}

}  // namespace

std::optional<double> parse_seconds(const std::string& text, BareNumber bare) {
  const auto quantity = parse_quantity(text);
  if (!quantity) return std::nullopt;
  const bool taken = bare == BareNumber::seconds || quantity->number == 0.0;
  if (quantity->unit.empty()) return taken ? std::optional(quantity->number) : std::nullopt;
  const double scale = in_a_second(quantity->unit);
  return scale > 0.0 ? std::optional(quantity->number / scale) : std::nullopt;
}

double seconds_of(const std::string& text) {
  if (const auto seconds = parse_seconds(text, BareNumber::refused)) return *seconds;
  throw Error(ErrorKind::argument,
              "'" + text + "' is not a time: write a number with ns, us, ms or s, such as 50ms.");
}

std::optional<std::size_t> parse_bytes(const std::string& text) {
  const auto quantity = parse_quantity(text);
  if (!quantity) return std::nullopt;
  const double scale = bytes_in(quantity->unit), bytes = quantity->number * scale;
  if (scale == 0.0 || bytes > 9e15) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

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

std::string format_seconds(double seconds) {
  const auto text = [](const char* format, double value) {
    char line[64];
    std::snprintf(line, sizeof line, format, value);
    return std::string(line);
  };
  if (seconds >= 0.9995) return text("%.3g s", seconds);
  if (seconds >= 0.9995e-3) return text("%.3g ms", 1e3 * seconds);
  return text("%.3g us", 1e6 * seconds);
}

}  // namespace pat
