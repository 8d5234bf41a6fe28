#include "libpat/agreement/reasons.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace pat::detail {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// How long the number is that `text` begins with ("12", "-3", "1.5e+03"); 0 if there is none.
std::size_t number_length(std::string_view text) {
  const auto digits_from = [&](std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
  };
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  std::size_t end = digits_from(begin);
  if (end == begin) return 0;
  if (end < text.size() && text[end] == '.') end = digits_from(end + 1);
  if (end < text.size() && text[end] == 'e') {
    const bool sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-');
    const std::size_t exponent = end + (sign ? 2 : 1);
    if (digits_from(exponent) > exponent) end = digits_from(exponent);
  }
  return end;
}

/// What two reasons of one kind have in common: a '#' for each number and its unit of time.
std::string without_numbers(std::string_view text) {
  constexpr std::array<std::string_view, 3> units = {" us", " ms", " s"};
  std::string kind;
  while (!text.empty()) {
    const std::size_t length = number_length(text);
    if (length == 0) {
      kind += text.front();
      text.remove_prefix(1);
      continue;
    }
    kind += '#';
    text.remove_prefix(length);
    for (const std::string_view unit : units)
      if (text.starts_with(unit) &&
          (text.size() == unit.size() ||
           std::isalpha(static_cast<unsigned char>(text[unit.size()])) == 0)) {
        text.remove_prefix(unit.size());
        break;
      }
  }
  return kind;
}

}  // namespace

void Reasons::add(const std::string& reason, std::uint64_t calls) {
  last_ = without_numbers(reason);
  Count& count = counts_[last_];
  count.latest = reason;
  count.calls += calls;
}

void Reasons::take_back(std::uint64_t calls) {
  const auto last = counts_.find(last_);
  if (last != counts_.end()) last->second.calls -= std::min(calls, last->second.calls);
}

std::string Reasons::latest() const {
  const auto found = counts_.find(last_);
  return found == counts_.end() ? std::string() : found->second.latest;
}

std::vector<Reasons::Count> Reasons::by_calls() const {
  std::vector<Count> list;
  for (const auto& [kind, count] : counts_)
    if (count.calls > 0) list.push_back(count);
  std::stable_sort(list.begin(), list.end(),
                   [](const Count& a, const Count& b) { return a.calls > b.calls; });
  return list;
}

}  // namespace pat::detail
