#pragma once

#include "collectives/schedule.hpp"
#include "collectives/structure.hpp"

namespace pat {

/// Runs the schedule symbolically: every unit of every buffer holds the ordered list of the
/// contributions combined in it, messages carry such lists, and at the end each destination must
/// hold exactly what the operation promises (for a reduction: every contribution once, in rank
/// order unless problem.commutative). Runs it in two opposite orders of ready operations. Also
/// refuses: dependencies on later operations, programs without exactly one join, messages without
/// partner or of unequal length, reads of undefined data, writes to the send buffer, use of the
/// user's buffers before the join other than receiving, and a barrier that lets a rank out before
/// all have come. Needs the programs of all ranks. Cost: O(operations + units x contributions).
Verdict verify(const Schedule& schedule);

}  // namespace pat
