#pragma once

// Reductions that first scatter the work (every place ends with its own finished part of the vector)
// and then gather the parts: ring, rabenseifner, radix-k.

#include <algorithm>
#include <functional>
#include <vector>

#include "collectives/reduce/partials.hpp"

namespace pat::reduce {

/// Binomial gather: place p holds the finished part p; ends with all parts at place 0. A subtree
/// travels in one message where its parts lie side by side, as gather_range() arranges.
/// `at(place)` is the rank of a place; rounds are numbered from `round`.
void gather_parts(Partials& partials, int places, int place, const std::function<int(int)>& at,
                  std::uint32_t round);

}  // namespace pat::reduce
