#pragma once

#include "collectives/scan/prefix.hpp"
#include "collectives/schedule.hpp"

namespace pat::scan {

/// The ranks form a chain: each receives, segment by segment, what those before it have combined,
/// puts its own vector to the right of it and passes that on.
Schedule build_chain(const Problem& problem, int segments, Prefix prefix);

}  // namespace pat::scan
