#pragma once

#include <mpi.h>

#include <cstdint>

namespace pat::detail {

/// Nanoseconds to add to this process's now_ns() to get the session's clock, that of rank 0. 0 on
/// every rank when all run on one machine, whose processes share a monotonic clock; elsewhere the
/// best of `exchanges` ping-pongs with rank 0 (Cristian 1989), good to half its round trip.
/// Collective over `comm`.
std::int64_t clock_offset_ns(MPI_Comm comm, int exchanges = 12);

}  // namespace pat::detail
