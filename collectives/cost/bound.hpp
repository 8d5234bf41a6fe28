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

/// A run time in seconds (last exit minus first arrival) below which no gather and no scatter can
/// stay under the cost model: single-port processes, n bytes cost alpha + n beta. Relaying through
/// other processes is allowed for. With a_r the arrival and n_r the bytes of rank r, B the bytes of
/// all ranks but the root, and only ranks with bytes counted:
///
/// gather: every process leaves after it arrives; the bytes of the ranks that arrive at or after
/// a_k leave their owners no sooner than a_k and must all pass the root's incoming port:
///   max over k of a_k, and over k other than the root of
///   a_k + alpha + beta * (bytes of the ranks other than the root that arrive at or after a_k);
///   foreground: also a_root + alpha + B beta.
/// scatter: nothing leaves the root before it arrives, and B bytes must pass its outgoing port:
///   max over k of a_k, and a_root + alpha + B beta;
///   foreground: also a_k + alpha + n_k beta for each k other than the root, for its own block must
///   pass its incoming port. (The blocks of others that arrive later need not: they may have moved
///   to a relay before.)
/// less min over k of a_k. Throws Error(argument) for other operations and for bad input.
double lower_bound_s(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
                     Reach reach = Reach::any);

}  // namespace pat
