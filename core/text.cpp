#include "core/text.hpp"

namespace pat {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::string listed(const std::vector<std::string_view>& names, std::string_view last,
                   std::string_view separator) {
  if (names.size() < 2) return join(names, separator);
  const std::vector<std::string_view> others(names.begin(), names.end() - 1);
  return join(others, separator).append(last).append(names.back());
}

}  // namespace pat
