#pragma once

#include <mpi.h>

#include "collectives/cost/calibration.hpp"

namespace pat::detail {

/// What messages cost here, in the time of a few of them: a ping-pong of growing sizes between the
/// first process and the second, and between the first and the last, which lies on another node if
/// any does; the slower of the two counts. Ends when `budget_s` is used up, with the sizes that it
/// came to. The same on all processes. Collective; nothing with one process.
Calibration quick_calibration(MPI_Comm comm, double budget_s);

}  // namespace pat::detail
