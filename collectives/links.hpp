#pragma once

#include <cstddef>
#include <vector>

#include "collectives/problem.hpp"
#include "core/arrival_pattern.hpp"

namespace pat {

/// A message between two processes, there and back at once: how long it took.
struct LinkTime {
  int rank = -1, peer = -1;
  double time_s = 0.0;
};

/// Whom `own` of `count` exchanges with in a round; -1: nobody. All pairs of a round are apart, and
/// in `link_rounds` rounds each exchanges with both its neighbours on a ring.
int link_partner(int own, int round, int count);
inline constexpr int link_rounds = 3;

/// How many bytes to exchange so that links can be told apart: half a millisecond by `usual`, 64
/// KiB to 1 MiB. No more than the longest message that was measured if that is longer than 64 KiB:
/// what more would take is not known, and may be much longer.
std::size_t link_message_bytes(const LinkCost& usual, std::size_t longest_measured);

/// Per rank how many times as long its own link takes for a byte as the usual one, which is the
/// lower quartile of what was measured; empty: all alike. `alpha_s` of each time is start-up. A
/// message goes as fast as the slower of its two links, so a link is as slow as the fastest message
/// over it, and who exchanged messages with one process alone may be taken for slow in its place.
/// What is less than `least` times the usual, or by less than a millisecond longer, is chance. O(n
/// log n) for n times. Nothing of fewer than 4 times.
std::vector<double> link_slowdown(int ranks, const std::vector<LinkTime>& times, double alpha_s,
                                  double least = 3.0);

/// The arrivals by which a schedule is built. A slow link is no late process: what goes over it
/// sets out at once and takes long, and nobody is to wait behind it meanwhile. So among those who
/// come within the time that a usual link takes for its vector its process has the place of the
/// last, a leaf of the trees, and is not taken to come later than that. In operations in which a
/// vector or block of each process goes up or down a tree; in others, and for stars, which see to
/// it themselves, nothing changes. Pure. Source: own, see docs/auto.md.
ArrivalPattern behind_slow_links(const Problem& problem, const ArrivalPattern& pattern);

}  // namespace pat
