#pragma once

#include <cstdint>

/// How often whoever moves early data comes back, ns. The daemon thread keeps to it, and the
/// simulated one in bench/simgrid.
namespace pat::pace {

inline constexpr std::int64_t moving_pause_ns = 200'000;  ///< between rounds while data moves
inline constexpr std::int64_t busy_pause_ns = 1'000'000;  ///< in a computing phase without any
inline constexpr std::int64_t moving_ns = 3'000'000;      ///< data counts as moving for so long

}  // namespace pat::pace
