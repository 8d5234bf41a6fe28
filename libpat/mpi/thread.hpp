#pragma once

#include <mpi.h>
#include <sched.h>
#include <time.h>

#include <algorithm>

namespace pat::detail {

/// Whether this is the thread that may call MPI at every thread level.
inline bool is_main_thread() {
  int main = 0;
  return PMPI_Is_thread_main(&main) == MPI_SUCCESS && main != 0;
}

/// Between two looks at something: longer and longer, so that a wait of microseconds ends at once
/// and a long one costs no core.
inline void pause(int attempt) {
  if (attempt < 64) {
    sched_yield();
    return;
  }
  const timespec nap{0, std::min(200'000L, 5'000L * (attempt - 60))};
  nanosleep(&nap, nullptr);
}

}  // namespace pat::detail
