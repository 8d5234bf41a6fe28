#pragma once

#include "collectives/schedule.hpp"

namespace pat::schedule {

/// Calls `visit(rank, id, op)` for every operation of this kind, rank by rank.
template <class Visit>
void for_each(OpKind kind, const Schedule& schedule, Visit visit) {
  for (int rank = 0; rank < schedule.problem.ranks; ++rank)
    for (OpId id = 0; id < schedule.programs[rank].ops.size(); ++id)
      if (schedule.programs[rank].ops[id].kind == kind)
        visit(rank, id, schedule.programs[rank].ops[id]);
}

}  // namespace pat::schedule
