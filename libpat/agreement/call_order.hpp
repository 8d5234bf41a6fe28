#pragma once

#include <cstdint>

namespace pat::detail {

/// Whether a stream's call `a` comes before its call `b`: the count begins anew after 2^32 calls.
inline bool is_before(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace pat::detail
