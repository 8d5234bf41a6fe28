#pragma once

#include <cstdint>

namespace pat {

/// One iteration of one process. Times are pat::now_ns() of that process.
struct ArrivalRecord {
  std::uint32_t iteration = 0;
  std::int64_t start_ns = 0;      ///< the computing phase began
  std::int64_t end_ns = 0;        ///< the computing phase ended
  std::int64_t arrival_ns = 0;    ///< the collective was entered; 0 when none followed
  std::int64_t exit_ns = 0;       ///< the collective was left; 0 when none followed
  std::int64_t paused_ns = 0;     ///< of the phase, in all its pauses that are over
  std::uint32_t edges = 0;        ///< how often the program said how far it is
  std::int64_t instructions = 0;  ///< of the computing phase; 0 without hardware counters
  std::int64_t cycles = 0;

  /// Of a phase that has ended, without its pauses.
  double computing_s() const { return static_cast<double>(end_ns - start_ns - paused_ns) * 1e-9; }
};

}  // namespace pat
