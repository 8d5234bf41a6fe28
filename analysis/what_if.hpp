#pragma once

#include <optional>
#include <span>
#include <vector>

#include "collectives/call_name.hpp"
#include "collectives/cost/simulate.hpp"
#include "core/trace.hpp"

namespace pat {

/// Elapsed seconds that each rank would save if it alone were on time: the trace is replayed with
/// its computing times no longer than the median of the others' in the same iteration, and so much
/// earlier arrivals; where no computing was recorded, its arrivals are no later than the median.
/// Taken for granted: the other ranks compute as before; what they waited for messages meanwhile
/// (`waiting_s`, as lateness_of takes it) was for its messages; and a collective ends for all when
/// the last has come. O(iterations P log P).
/// Who came straight from another call (`kept`, as kept_s says) is not late by himself.
std::vector<double> saved_if_on_time_s(const Trace& trace, std::span<const double> waiting_s,
                                       std::span<const double> kept = {});

/// Elapsed seconds that perfect balance would save: in each iteration all compute for the mean of
/// their computing times, and wait for no message; at most what lies between the last arrival and
/// the mean of when they ceased to work. Where no computing was recorded, all arrive at the mean.
/// Nothing where the last came straight from another call. `waiting_s`, `kept`: as above.
double saved_if_balanced_s(const Trace& trace, std::span<const double> waiting_s,
                           std::span<const double> kept = {});

/// How much of the data's way could lie in the waiting, by the operation's bound: the bound of the
/// call when all come at once, less what the bound leaves to do after the last real arrival.
/// Elapsed seconds, of all iterations; of more than 256 a sample of as many or, from 90 ranks on,
/// fewer, scaled up. Nothing where the operation has no bound or its size is not known. Source: the
/// bounds of collectives/operations/.
std::optional<double> recoverable_s(const Trace& trace, const CallName& call,
                                    const CostModel& network);

}  // namespace pat
