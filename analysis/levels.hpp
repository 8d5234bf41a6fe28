#pragma once

#include <span>
#include <vector>

#include "core/trace.hpp"

namespace pat {

/// A rank computes longer or shorter than before, beside the others.
struct LevelChange {
  int rank = 0;          ///< of the trace
  int first_call = 0;    ///< the first with the other level
  int calls = 0;         ///< how many had it, up to the next change or the trace's end
  double size_s = 0.0;   ///< how much longer a call's computing took; negative: shorter
  bool for_good = true;  ///< the rank never came back to where it was

  /// What it made of computing time in all; negative: it saved.
  double added_s() const { return size_s * calls; }
};

/// Where the pieces of a series begin that have levels of their own, but for the first; rising. A
/// piece has 8 values at least, or more where the series is so long that values are taken together.
/// O(n) for n values, times the pieces. Source: Olshen, Venkatraman, Lucito and Wigler, Circular
/// binary segmentation for the analysis of array-based DNA copy number data (Biostatistics 2004),
/// with a scale from differences of neighbours that single late calls do not move.
std::vector<int> level_starts(std::span<const double> series);

/// Of all ranks of one place, in the order of ranks and calls. What all ranks do is no change of
/// one, and one of less than a tenth of the rank's computing is none. Thread-safe.
std::vector<LevelChange> level_changes(const Trace& trace);

}  // namespace pat
