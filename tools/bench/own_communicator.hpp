#pragma once

#include <mpi.h>

namespace pat::bench {

/// A communicator of the same processes, or of a group of them, so that what is measured on it
/// leaves nothing behind for what is measured on another: neither leases of PAT's nor what it has
/// learnt there.
class OwnCommunicator {
 public:
  /// Collective over `like`.
  explicit OwnCommunicator(MPI_Comm like) { MPI_Comm_dup(like, &comm_); }
  /// Of this process's group: they are so many, each of as many neighbouring ranks of `all`.
  /// Collective over `all`, whose size `groups` divides.
  OwnCommunicator(MPI_Comm all, int groups) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &ranks);
    MPI_Comm_split(all, rank / (ranks / groups), rank, &comm_);
  }
  ~OwnCommunicator() { MPI_Comm_free(&comm_); }
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace pat::bench
