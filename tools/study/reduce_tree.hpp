#pragma once

#include "collectives/schedule.hpp"
#include "core/arrival_pattern.hpp"

namespace pat::study {

/// The binomial tree for a reduction in one piece: in round k, rank 2^k above sends (seed 004,
/// Table 3).
Schedule build_binomial(const Problem& problem);

/// A reduction in one piece for known arrivals: of all partial results, the two that are ready
/// first are combined next; the root never sends. With one segment this is what seed 004's
/// Algorithm 1 comes to, without its division into rounds. `step_s`: time to send and combine the
/// vector.
Schedule build_earliest_first(const Problem& problem, const ArrivalPattern& pattern, double step_s);

}  // namespace pat::study
