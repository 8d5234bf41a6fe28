#pragma once

#include "collectives/cost/simulate.hpp"
#include "collectives/problem.hpp"
#include "core/arrival_pattern.hpp"

namespace pat {

/// Which algorithms a bound speaks of.
enum class Reach {
  any,        ///< data may land at a process before it has arrived
  foreground  ///< a process takes part in nothing before it has arrived
};

/// A run time in seconds (last exit minus first arrival) below which no call of the operation can
/// stay under the cost model: single-port processes, n bytes cost alpha + n beta. Relaying through
/// other processes is allowed for. With a_r the arrival and n_r the bytes of rank r, B the bytes of
/// all ranks but the root, and only ranks with bytes counted, it is the larger of max over k of a_k
/// and of what the operation's row says (collectives/operations/), less min over k of a_k. Throws
/// Error(argument) for operations whose row has no bound and for bad input.
double lower_bound_s(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
                     Reach reach = Reach::any);

}  // namespace pat
