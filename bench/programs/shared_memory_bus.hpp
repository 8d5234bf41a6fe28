#pragma once

// Computing that is bound by a memory bus which all processes share, emulated: who computes beside
// n others gets on 1 / (1 + share n) times as fast (Afzal, Hager and Wellein 2020). How many
// compute is counted in a file that all map, so that the nodes of an emulated cluster share it as
// well.

#include <mpi.h>

#include <atomic>
#include <string>

namespace pat::bench {

class SharedMemoryBus {
 public:
  /// Collective. The file is made anew. Throws Error if it cannot be.
  SharedMemoryBus(const std::string& file, double share, MPI_Comm comm);
  ~SharedMemoryBus();
  SharedMemoryBus(const SharedMemoryBus&) = delete;
  SharedMemoryBus& operator=(const SharedMemoryBus&) = delete;

  /// Sleeps from the monotonic time begin_s on, until what takes alone_s alone is done; looks who
  /// else computes every tick_s.
  void compute(double begin_s, double alone_s, double tick_s);

 private:
  double share_;
  std::atomic<int>* computing_ = nullptr;
};

}  // namespace pat::bench
