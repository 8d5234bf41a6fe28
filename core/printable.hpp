#pragma once

#include <string>
#include <string_view>

namespace pat {

/// The text as a terminal may be given it, for names that come from files and programs: a '?' in
/// place of each byte of a control character (escape, line ends, those of C1) and of what is no
/// UTF-8.
std::string printable(std::string_view text);

/// Whether control characters are in it, those of C1 in UTF-8, too.
bool has_controls(std::string_view text);

}  // namespace pat
