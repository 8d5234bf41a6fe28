#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "collectives/clairvoyant/instance.hpp"
#include "collectives/problem.hpp"

namespace pat::check {

/// Fewest rounds of length round_s, the first at the first arrival and each at the end of the one
/// before, in which one segment can be reduced: those who hold a part of it
/// at best halve in each round, newcomers join from the round in which they arrive (a process takes
/// part in round floor((a - a_min) / d), as in latest_first; the paper's order with its closed
/// window needs reduce_end_bound()). Source: own, see
/// docs/clairvoyant.md.
std::uint64_t one_segment_round_bound(std::span<const double> arrival_s, double round_s);

/// Lower bound on the rounds of a reduction in N segments: the first segment is complete after
/// one_segment_round_bound() at the earliest, and the root receives one segment a round. The last
/// process to come must hand over, or if it is the root receive, all N of them.
std::uint64_t reduce_round_bound(std::span<const double> arrival_s, int segments, double round_s);

/// The end of a round in the clock of an instance: whole rounds and a remainder, as Instance::tick
/// and Instance::part.
struct RoundEnd {
  std::uint64_t tick = 0;
  std::uint32_t part = 0;
  auto operator<=>(const RoundEnd&) const = default;
};

/// No schedule in rounds ends the reduction of `instance` earlier, whatever its order. Rounds start
/// with the first arrival or later, each at least a round after the one before, at any remainder. A
/// process takes part in those that its rule allows: before it comes by less than a round
/// (Window::open), or by a whole one at most (closed); with latest_first from the round of its
/// whole tick on. Who has r rounds left may be that deep in the tree of one segment, so the sum of
/// 2^-r over all processes must not exceed 1 (Kraft); the other segments follow one a round. With a
/// single process: its arrival. Source: own, see docs/clairvoyant.md.
RoundEnd reduce_end_bound(const clairvoyant::Instance& instance);

/// The same as a time since the first arrival, seconds, to be compared with
/// clairvoyant::makespan_s(); for the arrivals and round length that `instance` was made from.
double reduce_makespan_bound_s(const clairvoyant::Instance& instance,
                               std::span<const double> arrival_s, double round_s);

/// Definition 3.6 of Marendic et al. 2016: what part of the imbalance does not show in the run
/// time. balanced_s and run_s: run times for equal and for the given arrivals, seconds.
double absorption_s(double balanced_s, double run_s, double imbalance_s);

/// Proposition 3.7: no algorithm absorbs more than its balanced run time less the best time in
/// which two processes can reduce.
double most_absorption_s(double balanced_s, double two_way_s);

/// Table 1 of Marendic et al. 2016: latency, bandwidth and computation that no reduce can avoid,
/// seconds each.
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

/// Eq. 1 of Marendic et al. 2016: run time of R = ceil(log2 P) + N - 1 balanced rounds.
double balanced_run_s(const LinkCost& cost, int ranks, double bytes, int segments);
/// N_opt of Marendic et al. 2016 Section 5.2, at least 1: sqrt((n - 1) m (beta + gamma) / alpha).
double best_segments(const LinkCost& cost, int ranks, double bytes);

}  // namespace pat::check
