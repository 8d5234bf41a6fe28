// Every registered broadcast: roots, counts, types with gaps and a different type at the receivers,
// sub-communicators, wrong forecasts.

#include <vector>

#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

class EveryBcast : public test::Running, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::Running::SetUp();
    ASSERT_EQ(PAT_UseAlgName("bcast", GetParam().c_str()), MPI_SUCCESS) << PAT_Error_string();
  }
};

int number(int root, int call, int i) {
  return root * 1000003 + call * 101 + i * 7;
}

void broadcast(int count, int root, int call, MPI_Comm comm = MPI_COMM_WORLD) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  std::vector<int> data(static_cast<std::size_t>(count), -1);
  for (int i = 0; me == root && i < count; ++i)
    data[static_cast<std::size_t>(i)] = number(root, call, i);
  ASSERT_EQ(PAT_Bcast(data.data(), count, MPI_INT, root, comm), MPI_SUCCESS) << PAT_Error_string();
  for (int i = 0; i < count; ++i)
    ASSERT_EQ(data[static_cast<std::size_t>(i)], number(root, call, i)) << "root " << root;
}

TEST_P(EveryBcast, GivesAllTheRootsDataForEveryRootAndCount) {
  for (int root = 0; root < size(); ++root)
    for (const int count : {0, 1, 2, 7, 1000, 50003})
      for (int call = 0; call < 3; ++call) {
        broadcast(count, root, call);
        if (HasFatalFailure()) return;
      }
}

TEST_P(EveryBcast, WorksOnSubCommunicatorsInterleaved) {
  const test::SubCommunicators on;
  for (int call = 0; call < 4; ++call) {
    broadcast(2003, call % on.half_size, call, on.half);
    broadcast(2003, call % size(), call, on.reversed);
    broadcast(2003, 0, call);
    if (HasFatalFailure()) return;
  }
}

/// The root sends pairs that lie side by side, the others receive them with gaps between.
TEST_P(EveryBcast, LeavesTheGapsOfATypeAlone) {
  MPI_Datatype ends, gapped;
  MPI_Type_vector(2, 1, 2, MPI_INT, &ends);
  MPI_Type_create_resized(ends, 0, 4 * sizeof(int), &gapped);
  MPI_Type_commit(&gapped);
  for (int root = 0; root < size(); ++root)
    for (const int count : {1, 5, 700}) {
      const bool gives = rank() == root;
      std::vector<int> data(static_cast<std::size_t>(4 * count), -9);
      for (int i = 0; gives && i < 2 * count; ++i) data[static_cast<std::size_t>(i)] = i + root;
      ASSERT_EQ(PAT_Bcast(data.data(), gives ? 2 * count : count, gives ? MPI_INT : gapped, root,
                          MPI_COMM_WORLD),
                MPI_SUCCESS)
          << PAT_Error_string();
      for (int i = 0; !gives && i < 4 * count; ++i)
        ASSERT_EQ(data[static_cast<std::size_t>(i)], i % 2 == 0 ? i / 2 + root : -9)
            << "int " << i << ", root " << root;
    }
  MPI_Type_free(&gapped);
  MPI_Type_free(&ends);
}

TEST_P(EveryBcast, WrongForecastsCostTimeButNothingElse) {
  test::call_with_broken_predictors([&](int i) { broadcast(4001, i % size(), i); });
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryBcast,
                         testing::ValuesIn(test::registered(Operation::bcast)),
                         [](const auto& test) { return test::test_name(test.param); });

}  // namespace
}  // namespace pat
