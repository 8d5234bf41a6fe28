// Every registered gather against MPI's own: roots, counts, datatypes, in place, sub-communicators.

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "collectives/algorithm.hpp"
#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::Side;
using test::size;

class EveryGather : public test::Running, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::Running::SetUp();
    ASSERT_EQ(PAT_UseAlgName("gather", GetParam().c_str()), MPI_SUCCESS) << PAT_Error_string();
  }
};

/// Gathers with PAT and with MPI from the same data into equally filled buffers and compares bytes.
void compare(const Side& send, const Side& recv, int root, MPI_Comm comm, int salt, bool in_place) {
  int me = 0, n = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &n);
  std::vector<int> data(static_cast<std::size_t>(send.room_ints) + 8);
  std::iota(data.begin(), data.end(), 100000 * me + 1000 * salt);
  const std::size_t room =
      static_cast<std::size_t>(recv.room_ints) * static_cast<std::size_t>(n) + 8;
  std::vector<int> expected(me == root ? room : 0, -7), got(expected);
  const void* source = data.data() + 4;
  if (in_place && me == root) {  // the same bytes on both sides
    std::copy_n(data.begin() + 4, std::min(send.room_ints, recv.room_ints),
                expected.begin() + 4 + me * recv.room_ints);
    got = expected;
    source = MPI_IN_PLACE;
  }
  int* expected_at = me == root ? expected.data() + 4 : nullptr;
  int* got_at = me == root ? got.data() + 4 : nullptr;
  ASSERT_EQ(
      MPI_Gather(source, send.count, send.type, expected_at, recv.count, recv.type, root, comm),
      MPI_SUCCESS);
  ASSERT_EQ(PAT_Gather(source, send.count, send.type, got_at, recv.count, recv.type, root, comm),
            MPI_SUCCESS)
      << PAT_Error_string();
  ASSERT_EQ(expected, got);
}

TEST_P(EveryGather, EqualsMpiForEveryRootAndCount) {
  for (int root = 0; root < size(); ++root)
    for (const int count : {0, 1, 3, 1000, 20000}) {
      const Side side{MPI_INT, count, count};
      for (int call = 0; call < 3; ++call) compare(side, side, root, MPI_COMM_WORLD, call, false);
      compare(side, side, root, MPI_COMM_WORLD, 9, true);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryGather, EqualsMpiForDerivedTypes) {
  MPI_Datatype gaps, resized, pair_swapped, six, negative;
  MPI_Type_vector(3, 2, 4, MPI_INT, &gaps);  // 6 ints in 10
  MPI_Type_create_resized(gaps, 0, 12 * sizeof(int), &resized);
  const int lengths[] = {1, 1}, displacements[] = {1, 0};
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &pair_swapped);  // memory order reversed
  MPI_Type_contiguous(6, MPI_INT, &six);
  const int back[] = {-2};
  MPI_Type_create_indexed_block(1, 2, back, MPI_INT, &negative);  // negative lower bound
  for (MPI_Datatype* type : {&gaps, &resized, &pair_swapped, &six, &negative})
    MPI_Type_commit(type);
  const Side sides[] = {{MPI_INT, 6, 6}, {resized, 1, 12}, {pair_swapped, 3, 6}, {six, 1, 6}};
  for (const Side& send : sides)
    for (const Side& recv : sides)
      for (int call = 0; call < 2; ++call) {
        compare(send, recv, call % size(), MPI_COMM_WORLD, call, false);
        if (HasFatalFailure()) return;
      }
  const Side large[] = {{MPI_INT, 6000, 6000}, {resized, 1000, 12000}, {pair_swapped, 3000, 6000}};
  for (const Side& send : large)
    for (const Side& recv : large)
      for (int call = 0; call < 2; ++call) {
        compare(send, recv, 0, MPI_COMM_WORLD, call, false);
        if (HasFatalFailure()) return;
      }
  // Every root, each side with every type in turn, once in the middle of its memory.
  const Side all[] = {{MPI_INT, 600, 600},
                      {resized, 100, 1200},
                      {pair_swapped, 300, 600},
                      {six, 100, 600},
                      {negative, 300, 600}};
  for (int root = 0; root < size(); ++root)
    for (int i = 0; i < 5; ++i) {
      compare(all[i], all[(i + root) % 5], root, MPI_COMM_WORLD, i, i == root % 5);
      if (HasFatalFailure()) return;
    }
  for (MPI_Datatype* type : {&gaps, &resized, &pair_swapped, &six, &negative}) MPI_Type_free(type);
}

TEST_P(EveryGather, WorksOnSubCommunicatorsInterleaved) {
  const test::SubCommunicators on;
  const Side side{MPI_INT, 2000, 2000};
  for (int call = 0; call < 6; ++call) {
    compare(side, side, call % on.half_size, on.half, call, false);
    compare(side, side, call % size(), on.reversed, call, false);
    compare(side, side, 0, MPI_COMM_WORLD, call, false);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryGather, FollowsAnnotatedPhases) {
  const Side side{MPI_INT, 5000, 5000};
  for (int iteration = 0; iteration < 12; ++iteration) {
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(1.0 + (rank() * 7 + iteration) % 5);
    for (int edge = 1; edge <= rank() % 3; ++edge) ASSERT_EQ(PAT_Edge(edge / 4.0), MPI_SUCCESS);
    test::sleep_ms(1.0 + rank() % 2);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    compare(side, side, 0, MPI_COMM_WORLD, iteration, false);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryGather, WrongForecastsCostTimeButNothingElse) {
  const Side side{MPI_INT, 4001, 4001};
  test::call_with_broken_predictors(
      [&](int i) { compare(side, side, i % size(), MPI_COMM_WORLD, i, i == 3); });
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryGather,
                         testing::ValuesIn(test::registered(Operation::gather)),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace pat
