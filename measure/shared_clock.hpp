#pragma once

#include <mpi.h>

#include <cstdint>

namespace pat::measure {

/// Seconds on a clock that the processes of a communicator share: rank 0's. On one node that is the
/// system's own; across nodes the offset is taken from the quickest of 100 round trips to rank 0
/// (Cristian, Probabilistic clock synchronization, 1989), once, when the clock is made. Clocks that
/// run at different speeds part again; GlobalClock follows them.
class SharedClock {
 public:
  /// Collective.
  explicit SharedClock(MPI_Comm comm);
  /// Local; thread-safe.
  double now_s() const;

 private:
  std::int64_t origin_ns_ = 0;  // rank 0's zero, on this process's clock
};

}  // namespace pat::measure
