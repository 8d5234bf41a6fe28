#pragma once

#include "collectives/check/verify.hpp"
#include "collectives/schedule.hpp"

namespace pat {

/// Looks in each rank's program for two operations that touch the same units, at least one of them
/// writing, with no dependency path between them: whichever runs first would change the result. A
/// send reads until it is done and a receive writes from the moment it is posted. Also refuses two
/// messages of one pair that carry the same tag. Cost: O(operations log operations) a rank where
/// what touches the same units is near each other in the program.
Verdict hazards(const Schedule& schedule);

}  // namespace pat
