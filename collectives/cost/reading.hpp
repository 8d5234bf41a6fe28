#pragma once

#include "core/arrival_pattern.hpp"

namespace pat {

/// How closely a schedule follows a forecast. A schedule that is planned to the last round from
/// arrivals that turn out otherwise waits where it need not, so a poor forecast is better read in
/// coarser ticks, or not at all.
enum class Reading { exact, coarse, blind };

/// Length of the ticks, seconds: 0 for exact, infinite for blind; for coarse the power of two next
/// to the median half width, so that it stays while the widths change little (0 if the median is
/// 0, infinite if it is).
double tick_s(Reading reading, const ArrivalPattern& forecast);

/// The offsets since the earliest in whole ticks, rounded down; as they are for ticks of no length,
/// all 0 for infinite ones. Half widths are kept.
ArrivalPattern in_ticks(const ArrivalPattern& pattern, double tick_s);

/// What to make of a forecast for an algorithm in rounds of that length, seconds, without trying it
/// out: exact up to half widths (their median) of two rounds; beyond, coarse if the latest eighth
/// of the processes, or some of it, is known to be late (a half width lies between two arrivals);
/// else blind. Source: own, see docs/clairvoyant.md.
Reading reading_for(const ArrivalPattern& forecast, double round_s);

}  // namespace pat
