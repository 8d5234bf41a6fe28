#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pat {

/// The pieces of `text` between separators; none is dropped.
std::vector<std::string> split(const std::string& text, char separator);

/// What `projection` makes of the elements of `range`, each a string, with `separator` between
/// them; empty for an empty range.
template <typename Range, typename Projection = std::identity>
std::string join(const Range& range, std::string_view separator, Projection projection = {}) {
  std::string text;
  bool first = true;
  for (const auto& element : range) {
    if (!first) text += separator;
    text += std::invoke(projection, element);
    first = false;
  }
  return text;
}

/// "a, b or c" with `last` = " or ": names for a sentence.
std::string listed(const std::vector<std::string_view>& names, std::string_view last,
                   std::string_view separator = ", ");

/// "bsls 41, mpi 19", of names with numbers.
template <typename Counts>
std::string counted(const Counts& counts) {
  return join(counts, ", ",
              [](const auto& one) { return one.first + " " + std::to_string(one.second); });
}

}  // namespace pat
