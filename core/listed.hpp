#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pat {

/// "a, b or c" with `last` = " or ": names for a sentence.
inline std::string listed(const std::vector<std::string_view>& names, std::string_view last,
                          std::string_view separator = ", ") {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : separator;
    text += names[i];
  }
  return text;
}

}  // namespace pat
