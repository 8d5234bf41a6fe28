#pragma once

#include <cstdint>
#include <span>

#include "collectives/problem.hpp"

namespace pat::check {

/// Fewest rounds of length round_s in which one segment can be reduced: those who hold a part of it
/// at best halve in each round, newcomers join from the round in which they arrive (a process takes
/// part in round floor((a - a_min) / d), as in latest_first). Source: own, see
/// docs/clairvoyant.md.
std::uint64_t one_segment_round_bound(std::span<const double> arrival_s, double round_s);

/// Lower bound on the rounds of a reduction in N segments: the first segment is complete after
/// one_segment_round_bound() at the earliest, and the root receives one segment a round. The last
/// process to come must hand over, or if it is the root receive, all N of them.
std::uint64_t reduce_round_bound(std::span<const double> arrival_s, int segments, double round_s);

/// Definition 3.6 of seed 004: what part of the imbalance does not show in the run time.
/// balanced_s and run_s: run times for equal and for the given arrivals, seconds.
double absorption_s(double balanced_s, double run_s, double imbalance_s);

/// Proposition 3.7: no algorithm absorbs more than its balanced run time less the best time in
/// which two processes can reduce.
double most_absorption_s(double balanced_s, double two_way_s);

/// Table 1 of seed 004: latency, bandwidth and computation that no reduce can avoid, seconds each.
struct ReduceBounds {
  double latency_s = 0.0;
  double bandwidth_s = 0.0;
  double computation_s = 0.0;
};
ReduceBounds reduce_bounds(const LinkCost& cost, int ranks, double bytes);

/// Section 5.3: the two ways to reduce between two processes, and the time of the better one.
double two_way_shared_s(const LinkCost& cost, double bytes);  ///< reduce-scatter and gather
double two_way_single_s(const LinkCost& cost, double bytes);  ///< one message, the root combines
double two_way_s(const LinkCost& cost, double bytes);
/// The size from which sharing the work is better: alpha < m gamma / 2. Infinite if gamma is 0.
double two_way_switch_bytes(const LinkCost& cost);

/// Eq. 1 of seed 004: run time of R = ceil(log2 P) + N - 1 balanced rounds.
double balanced_run_s(const LinkCost& cost, int ranks, double bytes, int segments);
/// N_opt of seed 004 Section 5.2, at least 1: sqrt((n - 1) m (beta + gamma) / alpha).
double best_segments(const LinkCost& cost, int ranks, double bytes);

}  // namespace pat::check
