#include "analysis/words.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "core/text.hpp"

namespace pat {
namespace {

std::string printed(const char* format, double value) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::string seconds_text(double value_s) {
  const double size = std::abs(value_s);
  const auto digits = [](double value, const char* unit) {
    const char* format = std::abs(value) >= 99.95   ? "%.0f "
                         : std::abs(value) >= 9.995 ? "%.1f "
                                                    : "%.2f ";
    return printed(format, value) + unit;
  };
  if (size == 0.0) return "0 s";
  if (size >= 0.9995) return digits(value_s, "s");
  if (size >= 0.9995e-3) return digits(1e3 * value_s, "ms");
  return digits(1e6 * value_s, "us");
}

std::string percent_text(double share) {
  return printed(std::abs(share) < 0.0995 && share != 0.0 ? "%.1f %%" : "%.0f %%", 100.0 * share);
}

std::string cut(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  std::size_t end = width < 3 ? 0 : width - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;  // a whole letter
  return text.substr(0, end) + "...";
}

std::string cut_middle(const std::string& text, std::size_t width) {
  if (text.size() <= width || width < 8) return cut(text, width);
  const std::size_t tail = (width - 3) / 2;
  std::size_t from = text.size() - tail;
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
  return cut(text, width - tail) + text.substr(from);
}

std::string in_words(const std::vector<int>& ranks) {
  std::vector<std::string> spans;
  for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
    for (end = begin + 1; end < ranks.size() && ranks[end] == ranks[end - 1] + 1;) ++end;
    spans.push_back(std::to_string(ranks[begin]));
    if (end - begin > 1) spans.back() += " to " + std::to_string(ranks[end - 1]);
  }
  return (ranks.size() > 1 ? "ranks " : "rank ") + join(spans, ", ");
}

}  // namespace pat
