#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "apps/fft/partition.hpp"
#include "apps/fft/transform.hpp"

namespace pat::fft {

/// The transform of a block of real samples by all processes of a communicator: rank 0 (the master)
/// does the first stages, which make independent sub-transforms, sends each process its own, and
/// gets the results back by PAT_Gather. Every process calls the same functions in this order:
/// distribute, compute (0 to 0.5), compute (0.5 to 1), gather; the master then calls finish.
/// Throws Error(argument) from the constructor as Partition does.
class ParallelFft {
 public:
  /// Blocks of `samples` samples, a power of two of at least 2; `threads` OpenMP threads.
  ParallelFft(MPI_Comm comm, std::size_t samples, int threads);

  /// Collective; `block` is read by the master alone.
  void distribute(std::span<const float> block);
  /// The share [from, to) of this process's work. Local.
  void compute(double from, double to);
  /// PAT_Gather. Collective; throws Error(internal) with PAT's sentence if it fails.
  void gather();
  /// The master's spectrum, samples / 2 + 1 bins in natural order; valid until the next finish().
  std::span<const Complex> finish();

 private:
  std::span<Complex> my_parts();
  std::span<Complex> parts_of(int process);

  MPI_Comm comm_;
  int rank_;
  int threads_;
  Partition partition_;
  Twiddles twiddles_;
  std::vector<Complex> points_;    // the master's: the block, then its sub-transforms
  std::vector<Complex> slot_;      // this process's share
  std::vector<Complex> gathered_;  // the master's: the slots of all processes
  std::vector<Complex> ordered_;
  std::vector<Complex> spectrum_;
};

}  // namespace pat::fft
