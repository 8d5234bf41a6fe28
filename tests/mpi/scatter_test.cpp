// Every registered scatter against MPI's own: roots, counts, datatypes, in place, annotated phases.

#include <numeric>
#include <vector>

#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::Side;
using test::size;

void compare(const Side& send, const Side& recv, int root, int salt, bool in_place,
             MPI_Comm comm = MPI_COMM_WORLD) {
  int me = 0, n = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &n);
  std::vector<int> data(me == root ? static_cast<std::size_t>(send.room_ints * n) + 8 : 0);
  std::iota(data.begin(), data.end(), 1000 * salt);
  std::vector<int> expected(static_cast<std::size_t>(recv.room_ints) + 8, -7), got(expected);
  const int* source = me == root ? data.data() + 4 : nullptr;
  const bool place = in_place && me == root;
  void* const expected_at = place ? MPI_IN_PLACE : expected.data() + 4;
  void* const got_at = place ? MPI_IN_PLACE : got.data() + 4;
  ASSERT_EQ(
      MPI_Scatter(source, send.count, send.type, expected_at, recv.count, recv.type, root, comm),
      MPI_SUCCESS);
  ASSERT_EQ(PAT_Scatter(source, send.count, send.type, got_at, recv.count, recv.type, root, comm),
            MPI_SUCCESS)
      << PAT_Error_string();
  ASSERT_EQ(expected, got);
}

class EveryScatter : public test::Running, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::Running::SetUp();
    ASSERT_EQ(PAT_UseAlgName("scatter", GetParam().c_str()), MPI_SUCCESS) << PAT_Error_string();
  }
};

TEST_P(EveryScatter, EqualsMpiForEveryRootAndCount) {
  for (int root = 0; root < size(); ++root)
    for (const int count : {0, 1, 3, 1000, 20000}) {
      const Side side{MPI_INT, count, count};
      for (int call = 0; call < 3; ++call) compare(side, side, root, call, false);
      compare(side, side, root, 9, true);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryScatter, EqualsMpiForDerivedTypes) {
  MPI_Datatype gaps, resized, swapped, six, negative;
  MPI_Type_vector(3, 2, 4, MPI_INT, &gaps);
  MPI_Type_create_resized(gaps, 0, 12 * sizeof(int), &resized);
  const int lengths[] = {1, 1}, displacements[] = {1, 0};
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &swapped);
  MPI_Type_contiguous(6, MPI_INT, &six);
  const int back[] = {-2};
  MPI_Type_create_indexed_block(1, 2, back, MPI_INT, &negative);  // negative lower bound
  for (MPI_Datatype* type : {&gaps, &resized, &swapped, &six, &negative}) MPI_Type_commit(type);
  const Side sides[] = {
      {MPI_INT, 600, 600}, {resized, 100, 1200}, {swapped, 300, 600}, {six, 100, 600}};
  for (const Side& send : sides)
    for (const Side& recv : sides)
      for (int call = 0; call < 2; ++call) {
        compare(send, recv, call % size(), call, false);
        if (HasFatalFailure()) return;
      }
  // Every root, each side with every type in turn.
  const Side all[] = {sides[0], sides[1], sides[2], sides[3], {negative, 300, 600}};
  for (int root = 0; root < size(); ++root)
    for (int i = 0; i < 5; ++i) {
      compare(all[i], all[(i + root) % 5], root, i, i == root % 5);
      if (HasFatalFailure()) return;
    }
  for (MPI_Datatype* type : {&gaps, &resized, &swapped, &six, &negative}) MPI_Type_free(type);
}

TEST_P(EveryScatter, WorksOnSubCommunicatorsInterleaved) {
  const test::SubCommunicators on;
  const Side side{MPI_INT, 2000, 2000};
  for (int call = 0; call < 6; ++call) {
    compare(side, side, call % on.half_size, call, false, on.half);
    compare(side, side, call % size(), call, false, on.reversed);
    compare(side, side, 0, call, false);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryScatter, FollowsAnnotatedPhases) {
  const Side side{MPI_INT, 5000, 5000};
  for (int iteration = 0; iteration < 12; ++iteration) {
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(1.0 + (rank() * 7 + iteration) % 5);
    ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
    test::sleep_ms(1.0 + rank() % 2);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    compare(side, side, iteration % 2 ? size() - 1 : 0, iteration, false);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryScatter, WrongForecastsCostTimeButNothingElse) {
  const Side side{MPI_INT, 4001, 4001};
  test::call_with_broken_predictors([&](int i) { compare(side, side, i % size(), i, i == 3); });
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryScatter,
                         testing::ValuesIn(test::registered(Operation::scatter)),
                         [](const auto& test) { return test::test_name(test.param); });

}  // namespace
}  // namespace pat
