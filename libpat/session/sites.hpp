#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace pat::detail {

/// Places that the program calls from, by numbers that are small enough for an event. A number
/// holds as long as the process. Thread-safe.
///
/// The number of the place where the program calls this function from; 0: there are more than
/// numbers. `name` is asked once in a process, as it may read debug information.
std::uint16_t number_of_site(const char* function, const void* caller,
                             const std::function<std::string()>& name);
/// The name of the place of that number, not 0.
std::string name_of_site(std::uint16_t number);

}  // namespace pat::detail
