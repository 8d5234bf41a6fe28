#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "collectives/problem.hpp"
#include "libpat/execution/arguments.hpp"
#include "measure/contents.hpp"

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
  detail::UserBuffers bind() const;
  /// MPI's own collective on them, root 0. Throws detail::MpiFailure.
  void call_mpi(MPI_Comm comm) const;
  /// Nothing if this process holds what it should, else a sentence with rank and index.
  std::optional<std::string> check() const;

  /// What a schedule for such a payload is built for. Throws Error(argument) for operations that
  /// are not simulated, and if there is not a float for each process.
  static Problem problem(Operation operation, std::size_t bytes, int ranks);

 private:
  detail::Arguments arguments(MPI_Comm comm) const;

  Operation operation_;
  int rank_, ranks_;
  MPI_Op op_;
  std::size_t block_;  // floats a block
  std::vector<float> send_, recv_;
  measure::ReduceOp sum_;
  measure::Contents contents_;
};

/// Addition of floats that takes the simulated processor `gamma_s_per_byte`.
MPI_Op make_timed_sum(double gamma_s_per_byte);

}  // namespace pat::simulated
