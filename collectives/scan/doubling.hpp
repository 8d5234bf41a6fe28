#pragma once

#include "collectives/scan/prefix.hpp"
#include "collectives/schedule.hpp"

namespace pat::scan {

/// Recursive doubling: see scan/recursive_doubling.cpp.
Schedule build_doubling(const Problem& problem, Prefix prefix);

}  // namespace pat::scan
