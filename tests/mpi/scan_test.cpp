// Every registered scan and exscan against MPI's own: counts, in place, predefined and user
// operations (also ones that do not commute), types with gaps, sub-communicators, requests, wrong
// forecasts.

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/operation_row.hpp"
#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/library_faults.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"
#include "tests/mpi/user_operators.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

class EveryScan : public test::Running, public testing::WithParamInterface<const Algorithm*> {
 protected:
  void SetUp() override {
    test::Running::SetUp();
    const std::string operation(name(GetParam()->operation));
    ASSERT_EQ(PAT_UseAlgName(operation.c_str(), GetParam()->name.c_str()), MPI_SUCCESS)
        << PAT_Error_string();
  }

  bool is_exclusive() const { return GetParam()->operation == Operation::exscan; }
  int ours(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm = MPI_COMM_WORLD) const {
    return (is_exclusive() ? PAT_Exscan : PAT_Scan)(send, recv, count, type, op, comm);
  }
  int mpis(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm = MPI_COMM_WORLD) const {
    return (is_exclusive() ? MPI_Exscan : MPI_Scan)(send, recv, count, type, op, comm);
  }

  /// `count` elements of `ints` ints each. Rank 0's receive buffer stays as it is in an exscan.
  void compare(int count, int ints, MPI_Datatype type, MPI_Op op, int call, bool in_place,
               MPI_Comm comm = MPI_COMM_WORLD) const {
    const std::vector<int> mine = numbers(count * ints, call);
    std::vector<int> got(mine.size(), -1);
    if (in_place) got = mine;
    std::vector<int> expected = got;
    int me = 0;
    MPI_Comm_rank(comm, &me);
    std::vector<int> aside(mine.size());
    ASSERT_EQ(mpis(mine.data(), aside.data(), count, type, op, comm), MPI_SUCCESS);
    if (!is_exclusive() || me > 0) expected = aside;
    ASSERT_EQ(ours(in_place ? MPI_IN_PLACE : mine.data(), got.data(), count, type, op, comm),
              MPI_SUCCESS)
        << PAT_Error_string();
    ASSERT_EQ(got, expected) << count << " elements, call " << call
                             << (in_place ? ", in place" : "");
  }

  static std::vector<int> numbers(int count, int call) {
    std::vector<int> all(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = (rank() * 31 + call * 13 + static_cast<int>(i) * 7) % 5 + 1;
    return all;
  }
};

TEST_P(EveryScan, EqualsMpiForEveryCount) {
  for (const int count : {0, 1, 3, 700, 5003})
    for (int call = 0; call < 4; ++call) {
      compare(count, 1, MPI_INT, MPI_SUM, call, call % 2 == 1);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryScan, EqualsMpiForPredefinedOperations) {
  for (const MPI_Op op : {MPI_PROD, MPI_MAX, MPI_BAND, MPI_BXOR, MPI_LOR})
    compare(2003, 1, MPI_INT, op, 0, false);
  compare(1001, 2, MPI_2INT, MPI_MAXLOC, 1, true);
}

TEST_P(EveryScan, WorksOnSubCommunicatorsInterleaved) {
  const test::SubCommunicators on;
  for (int call = 0; call < 4; ++call) {
    compare(1003, 1, MPI_INT, MPI_SUM, call, false, on.half);
    compare(1003, 1, MPI_INT, MPI_SUM, call, true, on.reversed);
    compare(1003, 1, MPI_INT, MPI_SUM, call, false);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryScan, NeedsNoReceiveBufferWhereNothingIsReceived) {
  const std::vector<int> mine = numbers(900, 3);
  std::vector<int> got(mine.size()), expected(mine.size());
  ASSERT_EQ(mpis(mine.data(), expected.data(), 900, MPI_INT, MPI_SUM), MPI_SUCCESS);
  const bool by_library = GetParam()->build == nullptr || size() == 1;
  const bool none =
      is_exclusive() && rank() == 0 && (!by_library || test::library_needs_no_unused_buffer);
  ASSERT_EQ(ours(mine.data(), none ? nullptr : got.data(), 900, MPI_INT, MPI_SUM), MPI_SUCCESS)
      << PAT_Error_string();
  if (!none) {
    EXPECT_EQ(got, expected);
  }
}

TEST_P(EveryScan, KeepsTheOrderOfOperandsThatDoNotCommute) {
  const test::AffineMaps maps;
  for (const int count : {1, 3, 1500})
    for (int call = 0; call < 3; ++call) {
      compare(count, 2, maps.type, maps.after, call, call == 2);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryScan, LeavesTheGapsOfATypeAlone) {
  const test::GappedPairs pairs;
  for (const int count : {1, 5, 700})
    for (const bool in_place : {false, true}) {
      const std::vector<int> mine = numbers(4 * count, count);
      std::vector<int> sum(mine.size()), got(mine.size(), -9);
      ASSERT_EQ(mpis(mine.data(), sum.data(), 4 * count, MPI_INT, MPI_SUM), MPI_SUCCESS);
      if (in_place) got = mine;
      const std::vector<int> before = got;
      ASSERT_EQ(
          ours(in_place ? MPI_IN_PLACE : mine.data(), got.data(), count, pairs.type, pairs.add),
          MPI_SUCCESS)
          << PAT_Error_string();
      const bool receives = !is_exclusive() || rank() > 0;
      for (std::size_t i = 0; i < sum.size(); ++i)
        ASSERT_EQ(got[i], receives && i % 2 == 0 ? sum[i] : before[i]) << "int " << i;
    }
}

/// The vector in place changes between two starts, and is taken when it is handed over.
TEST_P(EveryScan, TakesWhatLiesInPlaceWhenItIsReady) {
  constexpr int count = 1501;
  std::vector<int> buffer(count);
  PAT_Request request;
  ASSERT_EQ((is_exclusive() ? PAT_Exscan_init : PAT_Scan_init)(
                MPI_IN_PLACE, buffer.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request),
            MPI_SUCCESS)
      << PAT_Error_string();
  for (int call = 0; call < 4; ++call) {
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
    test::sleep_ms(0.5 * ((rank() + call) % 3));
    const std::vector<int> mine = numbers(count, call);
    std::vector<int> expected(count);
    buffer = mine;
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(mpis(mine.data(), expected.data(), count, MPI_INT, MPI_SUM), MPI_SUCCESS);
    ASSERT_EQ(buffer, is_exclusive() && rank() == 0 ? mine : expected) << call;
  }
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
}

TEST_P(EveryScan, WrongForecastsCostTimeButNothingElse) {
  test::call_with_broken_predictors([&](int i) { compare(2001, 1, MPI_INT, MPI_SUM, i, i == 3); });
}

/// Sums in any order with the same bits, those of the ranks before included.
TEST(ScanBits, AreEqualForEveryAlgorithmWhereOrderIsFree) {
  constexpr int count = 301;
  std::vector<float> mine(count), first;
  for (std::size_t i = 0; i < mine.size(); ++i)
    mine[i] = static_cast<float>(i % 17 + 1) * (rank() % 2 ? 1e-7f : 3e5f) / 7.0f;
  for (const char* algorithm : {"lin", "pipeline", "recursive-doubling"})
    for (const bool in_place : {false, true}) {
      ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "reproducible=any-order"), MPI_SUCCESS)
          << PAT_Error_string();
      ASSERT_EQ(PAT_UseAlgName("exscan", algorithm), MPI_SUCCESS);
      std::vector<float> got = mine;
      ASSERT_EQ(PAT_Exscan(in_place ? MPI_IN_PLACE : mine.data(), got.data(), count, MPI_FLOAT,
                           MPI_SUM, MPI_COMM_WORLD),
                MPI_SUCCESS)
          << PAT_Error_string();
      ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
      if (first.empty()) first = got;
      EXPECT_EQ(got, first) << algorithm;
      if (rank() == 0) {
        EXPECT_EQ(got, mine) << "rank 0 receives nothing";
      }
    }
}

std::vector<const Algorithm*> registered() {
  std::vector<const Algorithm*> list;
  for (const Algorithm& one : algorithms())
    if (one.operation == Operation::scan || one.operation == Operation::exscan)
      list.push_back(&one);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryScan, testing::ValuesIn(registered()),
                         [](const auto& test) {
                           return test::test_name(std::string(name(test.param->operation)) + "_" +
                                                  test.param->name);
                         });

}  // namespace
}  // namespace pat
