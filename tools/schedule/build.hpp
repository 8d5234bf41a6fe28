#pragma once

#include <optional>

#include "collectives/clairvoyant/clairvoyant.hpp"
#include "collectives/schedule.hpp"
#include "core/arrival_pattern.hpp"
#include "tools/schedule/request.hpp"

namespace pat::schedule {

/// A built schedule, and the plan it was made from if it is Clairvoyant's.
struct Built {
  Problem problem;
  ArrivalPattern pattern;
  Schedule schedule;
  std::optional<clairvoyant::Plan> plan;
};

/// Builds what is asked for. Throws Error(argument) for what is missing or does not go together.
Built build(const Request& request);

/// Throws Error(internal), which ends the command with 1, if a check fails.
void verify_all(const Built& built);

}  // namespace pat::schedule
