#pragma once

#include <vector>

#include "tools/tune/contest.hpp"
#include "tools/tune/options.hpp"

namespace pat::tune {

/// What is to be measured with so many processes: each operation with each size, or the calls that
/// the places of the trace name, each with the arrivals of its places. Throws Error(argument) for
/// options that cannot be used, Error(io) for a trace that cannot be read.
std::vector<Subject> subjects_of(const Options& options, int ranks);

}  // namespace pat::tune
