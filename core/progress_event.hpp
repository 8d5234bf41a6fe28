#pragma once

#include <cstdint>

namespace pat {

/// What an annotation call leaves behind: 24 bytes, written to a lock-free queue by the thread that
/// made the call and read by whoever forecasts.
struct ProgressEvent {
  enum class Kind : std::uint8_t { start, edge, end };

  std::int64_t time_ns;     ///< pat::now_ns() at the call
  float fraction;           ///< share of the computing phase done: 0 at start, 1 at end
  std::uint32_t iteration;  ///< counts the computing phases of the region, from 0
  std::uint32_t region;     ///< index of the region in its session
  Kind kind;
};
static_assert(sizeof(ProgressEvent) == 24);

}  // namespace pat
