#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <pat/pat.h>

#include "apps/helsim-mini/threads.hpp"

namespace helsim {

/// main() of a GoogleTest program under mpirun: all ranks run all tests, and the program fails on
/// all of them if a check failed on one. Only rank 0 prints what passed.
inline int run_tests(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  PAT_Init();
  share_cores(MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) ::testing::GTEST_FLAG(brief) = true;
  int failed = RUN_ALL_TESTS() != 0 ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  PAT_Finalize();
  MPI_Finalize();
  return failed;
}

/// A communicator of the first `size` processes; MPI_COMM_NULL on the others.
inline MPI_Comm first_ranks(int size) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &part);
  return part;
}

}  // namespace helsim
