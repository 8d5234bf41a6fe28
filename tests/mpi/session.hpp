#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <pat/pat.h>

#include <chrono>
#include <string>
#include <thread>

namespace pat::test {

inline int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}

inline int size() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

inline void sleep_ms(double ms) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
}

/// Two communicators beside the world's: the ranks of this one's parity, and all the other way
/// round.
struct SubCommunicators {
  SubCommunicators() {
    MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, rank(), &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), &reversed);
    MPI_Comm_size(half, &half_size);
  }
  ~SubCommunicators() {
    MPI_Comm_free(&half);
    MPI_Comm_free(&reversed);
  }
  SubCommunicators(const SubCommunicators&) = delete;
  SubCommunicators& operator=(const SubCommunicators&) = delete;

  MPI_Comm half, reversed;
  int half_size = 0;
};

/// One side of a gather or scatter.
struct Side {
  MPI_Datatype type;
  int count;
  int room_ints;  ///< memory of one block, ints
};

/// PAT for the length of one test.
class Running : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(PAT_Init(), MPI_SUCCESS) << PAT_Error_string(); }
  void TearDown() override { ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string(); }
};

}  // namespace pat::test
