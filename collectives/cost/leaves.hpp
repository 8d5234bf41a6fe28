#pragma once

#include <vector>

#include "collectives/problem.hpp"
#include "core/arrival_pattern.hpp"

namespace pat {

/// A rank other than the root that has data: when it arrives and how many bytes its block has.
struct Leaf {
  double arrival_s;
  double bytes;
};

/// All of them, latest first.
std::vector<Leaf> leaves_latest_first(const Problem& problem, const ArrivalPattern& pattern);

double total_bytes(const std::vector<Leaf>& leaves);

}  // namespace pat
