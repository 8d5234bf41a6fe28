#pragma once

#include <cstdint>
#include <vector>

namespace pat {

/// A process arrival pattern: what a decision is made from (Proficz 2020 Section 3, Marendic et al.
/// 2016 Def. 3.3).
struct ArrivalPattern {
  std::vector<double> offset_s;      ///< one per rank, seconds, only differences matter
  std::vector<double> half_width_s;  ///< half the 90 % interval per rank; empty: exact
  std::uint64_t epoch = 0;           ///< which call it was made for

  int ranks() const { return static_cast<int>(offset_s.size()); }
  static ArrivalPattern flat(int ranks) { return {std::vector<double>(ranks, 0.0), {}, 0}; }
};

/// Throws Error(argument) unless the pattern has exactly `ranks` finite, non-negative offsets.
void validate(const ArrivalPattern& pattern, int ranks);

/// Ranks by arrival, earliest first. Those that come within `together_s` of the first of them come
/// together and are in rank order, so that forecasts that differ by chance do not make other
/// neighbours of them in each call.
std::vector<int> arrival_order(const ArrivalPattern& pattern, double together_s = 0.0);

/// max(offset) - min(offset): the absolute imbalance (Marendic et al. 2016 Def. 3.5), seconds.
double absolute_imbalance_s(const ArrivalPattern& pattern);

}  // namespace pat
