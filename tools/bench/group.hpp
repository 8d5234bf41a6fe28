#pragma once

#include <mpi.h>

#include <vector>

#include "core/statistics.hpp"

namespace pat::bench {

/// The ranks that calibrate together.
struct Group {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, ranks = 1;
};

/// Whether the machine was not quiet while these were measured: the 75 % quantile of a quiet one is
/// at most one and a half times the 25 % quantile.
inline bool is_noisy(const std::vector<double>& times_s) {
  return quantile(times_s, 0.75) > 1.5 * quantile(times_s, 0.25);
}

}  // namespace pat::bench
