#pragma once

#include <mpi.h>

#include <optional>

#include "core/clock_difference.hpp"

namespace pat::detail {

/// How far the session's clock, that of rank 0, is ahead of this process's now_ns(): the best of
/// `exchanges` ping-pongs with rank 0. Nothing on every rank when all run on one machine, whose
/// processes share a monotonic clock. Collective over `comm`.
std::optional<ClockDifference> compare_clocks(MPI_Comm comm, int exchanges = 12);

}  // namespace pat::detail
