#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"

namespace pat {

/// A whole number from 0 to `most`. Throws Error(argument) for anything else; json's own conversion
/// cuts off what does not fit, and is undefined for numbers with a large exponent.
inline std::uint64_t whole_number(const nlohmann::json& number,
                                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  if (!number.is_number_unsigned() || number.get<std::uint64_t>() > most)
    throw Error(ErrorKind::argument,
                number.dump() + " is not a whole number up to " + std::to_string(most));
  return number.get<std::uint64_t>();
}

}  // namespace pat
