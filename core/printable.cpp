#include "core/printable.hpp"

#include <algorithm>
#include <cstddef>

namespace pat {
namespace {

/// How many bytes the letter at the beginning of `text` has in UTF-8; 0 for a control character and
/// for what is no letter.
std::size_t letter_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  // Below these are the controls of C1, and letters that are written longer than they are.
  const unsigned char least = lead == 0xC2 || lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  return byte(1) >= least ? length : 0;
}

}  // namespace

bool has_controls(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (byte(i) < 0x20 || byte(i) == 0x7F) return true;
    const bool is_of_c1 = i + 1 < text.size() && byte(i) == 0xC2 && (byte(i + 1) & 0xE0U) == 0x80U;
    if (is_of_c1) return true;
  }
  return false;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = letter_length(text);
    shown += length > 0 ? text.substr(0, length) : "?";
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return shown;
}

}  // namespace pat
