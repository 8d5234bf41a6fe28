#pragma once

#include <mpi.h>

#include "collectives/cost/calibration.hpp"

namespace pat::detail {

/// What messages take of the cores that processes share, `crowd` to a core: how long it takes until
/// each process has a message from the process before it, against what `calibration` says of one
/// message alone. Nothing where links keep them back as long, where each process has a core, or
/// where within `budget_s` there is no time for it. The same on all processes. `comm` is private.
/// Collective.
SharedCost measure_shared_cost(MPI_Comm comm, const Calibration& calibration, double crowd,
                               double budget_s);

/// How long a message takes, seconds: of no bytes and of some.
struct MessageTimes {
  double empty_s = 0.0, full_s = 0.0;
};

/// What is shared, if each of `ranks` processes on `cores` cores has a message of no bytes, and one
/// of `bytes`, after `at_once`, which take `alone` by themselves: no more than would keep a core at
/// each of their ends busy for that long, as where it seems to be more the cores had other work.
SharedCost shared_cost(int ranks, double cores, double bytes, const MessageTimes& at_once,
                       const MessageTimes& alone);

}  // namespace pat::detail
