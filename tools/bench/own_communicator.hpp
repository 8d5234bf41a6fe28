#pragma once

#include <mpi.h>

namespace pat::bench {

/// A communicator of the same processes, so that what is measured on it leaves nothing behind for
/// what is measured on another: neither leases of PAT's nor what it has learnt there.
class OwnCommunicator {
 public:
  /// Collective over `like`.
  explicit OwnCommunicator(MPI_Comm like) { MPI_Comm_dup(like, &comm_); }
  ~OwnCommunicator() { MPI_Comm_free(&comm_); }
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace pat::bench
