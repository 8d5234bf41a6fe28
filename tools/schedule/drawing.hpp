#pragma once

#include "collectives/cost/simulate.hpp"
#include "tools/schedule/build.hpp"
#include "tools/schedule/draw_schedule.hpp"

namespace pat::schedule {

/// Arrivals and messages: of a plan of Clairvoyant's in rounds, of any other schedule in simulated
/// seconds.
Drawing drawing_of(const Built& built, const CostModel& model);

}  // namespace pat::schedule
