#pragma once

#include <cstdint>

namespace pat {

inline double seconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

}  // namespace pat
