#pragma once

#include <vector>

#include "collectives/problem.hpp"
#include "core/arrival_pattern.hpp"

namespace pat {

/// The order of arrivals for rings and chains, which pass on messages of `bytes`: whose arrivals
/// are nearer to each other than such a message takes come together, in rank order. So they keep
/// their neighbours from call to call, with connections that are open, and neighbours that are on
/// one node.
inline std::vector<int> passing_order(const Problem& problem, const ArrivalPattern& pattern,
                                      double bytes) {
  return arrival_order(pattern, problem.cost.message_s(bytes));
}

}  // namespace pat
