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

/// What is shared, if each of `ranks` processes has a message of no bytes after `empty_s` and one
/// of `bytes` after `full_s`, which alone take `alone_empty_s` and `alone_full_s`.
SharedCost shared_cost(int ranks, double bytes, double empty_s, double full_s, double alone_empty_s,
                       double alone_full_s);

}  // namespace pat::detail
