#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pat {

/// Whether a number without a unit is taken for a time, then in seconds. 0 is taken always.
enum class BareNumber { refused, seconds };

/// "20ms", "25us", "1.5s", "8ns" to seconds; nothing if it is none of these, negative or not
/// finite. All options and settings that are times are read here.
std::optional<double> parse_seconds(const std::string& text, BareNumber bare);

/// As parse_seconds, with a unit. Throws Error(argument) that shows what is accepted.
double seconds_of(const std::string& text);

/// "8MiB", "64k", "1.5G", "4096" to bytes (k, M, G and Ki, Mi, Gi all mean powers of 1024, an
/// ending B is allowed); nothing if it is none of these.
std::optional<std::size_t> parse_bytes(const std::string& text);

/// "64k,1M,8MiB" or a range "4k:1M" that doubles from one end to the other, to bytes. Throws
/// Error(argument) for anything else, for 0 and for an empty list.
std::vector<std::size_t> parse_sizes(const std::string& text);

/// 8388608 to "8 MiB", 1000 to "1000 B".
std::string format_bytes(std::size_t bytes);

/// "81.3 ms", "410 us", "2.03 s": three figures.
std::string format_seconds(double seconds);

}  // namespace pat
