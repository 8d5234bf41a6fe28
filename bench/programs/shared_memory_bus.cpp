#include "bench/programs/shared_memory_bus.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "bench/programs/monotonic.hpp"
#include "core/errors.hpp"

namespace pat::bench {
namespace {

using Count = std::atomic<int>;

/// Null where it fails.
Count* map_file(const std::string& file, int flags) {
  const int descriptor = open(file.c_str(), flags, 0600);
  if (descriptor < 0) return nullptr;
  void* mapped = MAP_FAILED;
  if (ftruncate(descriptor, sizeof(Count)) == 0)
    mapped = mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  return mapped == MAP_FAILED ? nullptr : static_cast<Count*>(mapped);
}

}  // namespace

SharedMemoryBus::SharedMemoryBus(const std::string& file, double share, MPI_Comm comm)
    : share_(share) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) computing_ = map_file(file, O_RDWR | O_CREAT | O_TRUNC);
  if (computing_ != nullptr) new (computing_) Count(0);
  MPI_Barrier(comm);
  if (rank != 0) computing_ = map_file(file, O_RDWR);
  int mapped = computing_ != nullptr;
  MPI_Allreduce(MPI_IN_PLACE, &mapped, 1, MPI_INT, MPI_MIN, comm);
  if (mapped == 0)
    throw Error(ErrorKind::io, "'" + file +
                                   "' cannot be written and mapped by all processes, name a file " +
                                   "that can with --bus");
}

SharedMemoryBus::~SharedMemoryBus() {
  if (computing_ != nullptr) munmap(computing_, sizeof(Count));
}

void SharedMemoryBus::compute(double begin_s, double alone_s, double tick_s) {
  ++*computing_;
  double left_s = alone_s, last_s = begin_s;
  while (left_s > 0.0) {
    const double slower = 1.0 + share_ * (*computing_ - 1);
    sleep_until(last_s + std::min(tick_s, left_s * slower));
    const double now_s = monotonic_s();
    left_s -= (now_s - last_s) / slower;
    last_s = now_s;
  }
  --*computing_;
}

}  // namespace pat::bench
