#pragma once

#include <mpi.h>

#include <cstddef>

#include "collectives/cost/calibration.hpp"

namespace pat::detail {

/// How much longer a block of `bytes` takes when others wait for the same port, from rank 0's times
/// for one from each process, at once and one after the other, `repetitions` times each after
/// `warm_up`. The result counts at rank 0. Nothing waits with fewer than two senders. Collective.
Calibration::Incast measure_incast(MPI_Comm comm, std::size_t bytes, int repetitions, int warm_up);

}  // namespace pat::detail
