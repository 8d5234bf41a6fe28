#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "collectives/problem.hpp"
#include "libpat/execution/schedule_run.hpp"
#include "tools/bench/contents.hpp"

namespace pat::simulated {

/// One process's buffers in an operation on floats: filled, bound to an execution or given to MPI,
/// and checked.
class Payload {
 public:
  /// `bytes` is the whole vector; `op` is for reductions and must outlive the object.
  Payload(Operation operation, std::size_t bytes, int rank, int ranks, MPI_Op op);

  /// Fills the send buffer and poisons the receive buffer.
  void fill();
  /// The schedule's view of the buffers.
  UserBuffers bind();
  /// MPI's own collective on them, root 0, where has_mpi_call(). Throws MpiFailure.
  void call_mpi(MPI_Comm comm);
  /// Nothing if this process holds what it should, else a sentence with rank and index.
  std::optional<std::string> check() const;

  /// What a schedule for such a payload is built for. Throws Error(argument) for operations that
  /// are not simulated, and if there is not a float for each process.
  static Problem problem(Operation operation, std::size_t bytes, int ranks);

 private:
  float* receiving_argument();

  Operation operation_;
  int rank_;
  MPI_Op op_;
  std::size_t block_;  // floats a block
  std::vector<float> send_, recv_;
  bench::ReduceOp sum_;
  bench::Contents contents_;
};

/// Whether MPI's own collective of the operation can be called.
bool has_mpi_call(Operation operation);

/// Addition of floats that takes the simulated processor `gamma_s_per_byte`.
MPI_Op make_timed_sum(double gamma_s_per_byte);

}  // namespace pat::simulated
