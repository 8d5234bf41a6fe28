#include "analysis/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "core/text.hpp"

namespace pat {
namespace {

std::string printed(const char* format, double value) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

bool is_inside_a_letter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// At most so many characters of its end.
std::string end_of(const std::string& text, std::size_t most) {
  std::size_t from = text.size() - std::min(text.size(), most);
  while (from < text.size() && is_inside_a_letter(text[from])) ++from;
  return text.substr(from);
}

std::string cut_middle(const std::string& text, std::size_t width) {
  if (text.size() <= width || width < 8) return cut(text, width);
  const std::size_t tail = (width - 3) / 2;
  return cut(text, width - tail) + end_of(text, tail);
}

/// "solve<std::vector<double>>" to "solve<>"; names with other brackets, such as operator<, stay.
std::string without_template_arguments(const std::string& text) {
  std::string result;
  int depth = 0;
  for (const char c : text) {
    if (c == '>' && --depth < 0) return text;
    if (depth == 0) result += c;
    if (c == '<') ++depth;
  }
  return depth == 0 ? result : text;
}

struct Span {
  std::size_t begin = 0, length = 0;
};

/// "solver.c:81" or "solver+0x11a4".
bool is_site(std::string_view word) {
  const auto ends_in = [&](std::string_view digits, std::size_t from) {
    return from < word.size() && word.find_first_not_of(digits, from) == std::string_view::npos;
  };
  if (const std::size_t colon = word.rfind(':'); colon != std::string_view::npos)
    return colon > 0 && ends_in("0123456789", colon + 1);
  const std::size_t offset = word.rfind("+0x");
  return offset != std::string_view::npos && ends_in("0123456789abcdef", offset + 3);
}

/// The last word that is one; of no length: there is none.
Span site_in(std::string_view text) {
  Span found;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find_first_of(" ,;()", begin), text.size());
    if (is_site(text.substr(begin, end - begin))) found = {begin, end - begin};
  }
  return found;
}

/// "src/solver.c:81" to "solver.c:81".
std::string without_folders(std::string text) {
  const Span site = site_in(text);
  const std::size_t slash = text.rfind('/', site.begin + site.length);
  if (slash != std::string::npos && slash >= site.begin)
    text.erase(site.begin, slash + 1 - site.begin);
  return text;
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
  while (end > 0 && is_inside_a_letter(text[end])) --end;  // a whole letter
  return text.substr(0, end) + "...";
}

std::string cut_place(const std::string& place, std::size_t width) {
  std::string text = place;
  if (text.size() > width) text = without_template_arguments(text);
  if (text.size() > width) text = without_folders(text);
  if (text.size() <= width) return text;
  const Span site = site_in(text);
  if (site.length == 0 || width < 8) return cut_middle(text, width);
  if (site.length + 4 > width)
    return "..." + end_of(text.substr(site.begin, site.length), width - 3);
  constexpr std::size_t least = 8;  // of what follows, to be worth its room
  const std::string head = text.substr(0, site.begin);
  const std::string tail = text.substr(site.begin + site.length);
  const std::size_t room = width - site.length;
  std::size_t tail_room = std::max(room / 2, room - std::min(room, head.size()));
  if (tail_room < std::min(least, tail.size())) tail_room = 0;
  tail_room = std::min(tail_room, tail.size());
  return cut(head, room - tail_room) + text.substr(site.begin, site.length) +
         (tail_room > 0 ? cut(tail, tail_room) : "");
}

std::string in_words(const std::vector<int>& ranks) {
  std::vector<std::string> spans;
  for (std::size_t first = 0, last = 0; first < ranks.size(); first = ++last) {
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    spans.push_back(std::to_string(ranks[first]));
    if (last > first + 1)
      spans.back() += "-" + std::to_string(ranks[last]);
    else if (last == first + 1)
      spans.push_back(std::to_string(ranks[last]));
  }
  const std::vector<std::string_view> views(spans.begin(), spans.end());
  return (ranks.size() == 1 ? "rank " : "ranks ") + listed(views, " and ");
}

}  // namespace pat
