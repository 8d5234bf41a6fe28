#pragma once

#include <mpi.h>

#include <chrono>
#include <thread>

#include "libpat/mpi/check.hpp"

namespace pat::detail {

/// Whoever waits for others to measure leaves the core to them, which he may have to share.
inline constexpr std::chrono::duration<double> nap(200e-6);

/// A barrier. Collective.
inline void wait_for_all(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  int done = 0;
  check(PMPI_Ibarrier(comm, &request));
  for (;;) {
    check(PMPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done) return;
    std::this_thread::sleep_for(nap);
  }
}

}  // namespace pat::detail
