#pragma once

#include <cmath>
#include <optional>

namespace pat {

/// What a progress call of the present phase says: its time over its share of the work.
/// Source: Proficz 2020 Section 3, Fig. 3 (lines 3 and 4).
struct EdgeReading {
  double fraction = 0.0;   ///< 0 < fraction < 1
  double elapsed_s = 0.0;  ///< since the phase began
  double extrapolated_s() const { return elapsed_s / fraction; }
};

/// Empty unless the values make sense and the extrapolation is a time.
inline std::optional<EdgeReading> read_edge(double fraction, double elapsed_s) {
  if (!(fraction > 0.0 && fraction < 1.0) || !(elapsed_s >= 0.0)) return std::nullopt;
  const EdgeReading reading{fraction, elapsed_s};
  if (!(reading.extrapolated_s() < 1e9)) return std::nullopt;
  return reading;
}

}  // namespace pat
