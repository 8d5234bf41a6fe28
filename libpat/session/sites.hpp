#pragma once

#include <cstdint>
#include <string>

namespace pat::detail {

/// Places that the program calls from, by numbers that are small enough for an event. A number
/// holds as long as the process. Thread-safe.
///
/// The number of the place of this name; 0: there are more than numbers.
std::uint16_t number_of_site(const std::string& name);
/// The name of the place of that number, not 0.
std::string name_of_site(std::uint16_t number);

}  // namespace pat::detail
