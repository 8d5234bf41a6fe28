#pragma once

#include <string>

#include "collectives/algorithm.hpp"
#include "core/config.hpp"

namespace pat {

/// What to do in a call, and why.
struct Choice {
  const Algorithm* algorithm = nullptr;
  int segments = 0;
  std::string reason;
};

/// The user's own choice, or the best for the predicted pattern. Called by a stream's leader only.
Choice choose(const Problem& problem, const ArrivalPattern& pattern, const Config& config,
              const Algorithm* fixed);

}  // namespace pat
