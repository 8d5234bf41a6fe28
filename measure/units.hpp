#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pat::measure {

/// "50ms", "10us", "1.5s", "0" to seconds. Throws Error(argument) that shows what is accepted.
double parse_seconds(const std::string& text);

/// "64k,1M,8MiB" or a range "4k:1M" that doubles from one end to the other, to bytes. Throws
/// Error(argument) for anything else, for 0 and for an empty list.
std::vector<std::size_t> parse_sizes(const std::string& text);

/// 8388608 to "8 MiB", 1000 to "1000 B".
std::string format_bytes(std::size_t bytes);

}  // namespace pat::measure
