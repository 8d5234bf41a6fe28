#pragma once

#include "collectives/cost/simulate.hpp"
#include "collectives/problem.hpp"
#include "core/arrival_pattern.hpp"

namespace pat::clairvoyant {

/// The number of segments with which a Clairvoyant reduction ends first under the pattern, by
/// simulate() on `network`; problem.segments if it is set. From the choice of segments_for() it
/// goes downhill over the powers of two, up to one segment a unit and 4096, and then tries three
/// quarters and three halves of the best, so that the result is at least as good as that choice.
/// Rounds are planned by problem.cost. Builds and simulates a few schedules; pure, thread-safe.
/// Throws as build_schedule() and simulate() do. Source: Marendic et al. 2016 Table 8 asks for
/// something better than its N_opt; own.
int choose_segments(const Problem& problem, const ArrivalPattern& pattern,
                    const CostModel& network);

}  // namespace pat::clairvoyant
