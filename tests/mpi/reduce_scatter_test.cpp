// Every registered reduce-scatter against MPI's own: counts, in place, predefined and user
// operations (also ones that do not commute), types with gaps, sub-communicators, requests, wrong
// forecasts.

#include <numeric>
#include <vector>

#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"
#include "tests/mpi/user_operators.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

class EveryReduceScatter : public test::Running, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::Running::SetUp();
    ASSERT_EQ(PAT_UseAlgName("reduce-scatter", GetParam().c_str()), MPI_SUCCESS)
        << PAT_Error_string();
  }
};

/// What this rank gives in a call: `count` small numbers to the block of each of `ranks`.
std::vector<int> numbers(int count, int ranks, int call) {
  std::vector<int> all(static_cast<std::size_t>(count * ranks));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = (rank() * 31 + call * 13 + static_cast<int>(i) * 7) % 5 + 1;
  return all;
}

/// `count` elements of `ints` ints each a block.
void compare(int count, int ints, MPI_Datatype type, MPI_Op op, int call, bool in_place,
             MPI_Comm comm = MPI_COMM_WORLD) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  const std::vector<int> mine = numbers(count * ints, ranks, call);
  std::vector<int> expected(static_cast<std::size_t>(count * ints)), got(expected.size(), -1);
  ASSERT_EQ(MPI_Reduce_scatter_block(mine.data(), expected.data(), count, type, op, comm),
            MPI_SUCCESS);
  if (in_place) got = mine;
  ASSERT_EQ(PAT_Reduce_scatter_block(in_place ? MPI_IN_PLACE : mine.data(), got.data(), count, type,
                                     op, comm),
            MPI_SUCCESS)
      << PAT_Error_string();
  got.resize(expected.size());  // behind the result nothing is promised in place
  ASSERT_EQ(got, expected) << count << " to each, call " << call << (in_place ? ", in place" : "");
}

TEST_P(EveryReduceScatter, EqualsMpiForEveryCount) {
  for (const int count : {0, 1, 3, 700, 5003})
    for (int call = 0; call < 4; ++call) {
      compare(count, 1, MPI_INT, MPI_SUM, call, call % 2 == 1);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryReduceScatter, EqualsMpiForPredefinedOperations) {
  for (const MPI_Op op : {MPI_PROD, MPI_MAX, MPI_BAND, MPI_BXOR, MPI_LOR})
    compare(2003, 1, MPI_INT, op, 0, false);
  compare(1001, 2, MPI_2INT, MPI_MAXLOC, 1, true);
}

TEST_P(EveryReduceScatter, WorksOnSubCommunicatorsInterleaved) {
  const test::SubCommunicators on;
  for (int call = 0; call < 4; ++call) {
    compare(1003, 1, MPI_INT, MPI_SUM, call, false, on.half);
    compare(1003, 1, MPI_INT, MPI_SUM, call, true, on.reversed);
    compare(1003, 1, MPI_INT, MPI_SUM, call, false);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryReduceScatter, KeepsTheOrderOfOperandsThatDoNotCommute) {
  const test::AffineMaps maps;
  for (const int count : {1, 3, 1500})
    for (int call = 0; call < 3; ++call) {
      compare(count, 2, maps.type, maps.after, call, call == 2);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryReduceScatter, LeavesTheGapsOfATypeAlone) {
  const test::GappedPairs pairs;
  for (const int count : {1, 5, 700})
    for (const bool in_place : {false, true}) {
      const std::vector<int> mine = numbers(4 * count, size(), count);
      std::vector<int> sum(static_cast<std::size_t>(4 * count)), got(sum.size(), -9);
      MPI_Reduce_scatter_block(mine.data(), sum.data(), 4 * count, MPI_INT, MPI_SUM,
                               MPI_COMM_WORLD);
      if (in_place) got = mine;
      const std::vector<int> before = got;
      ASSERT_EQ(PAT_Reduce_scatter_block(in_place ? MPI_IN_PLACE : mine.data(), got.data(), count,
                                         pairs.type, pairs.add, MPI_COMM_WORLD),
                MPI_SUCCESS)
          << PAT_Error_string();
      for (std::size_t i = 0; i < sum.size(); ++i)
        ASSERT_EQ(got[i], i % 2 == 0 ? sum[i] : before[i]) << "int " << i;
    }
}

/// The blocks in place change between two starts, and are taken when they are handed over.
TEST_P(EveryReduceScatter, TakesWhatLiesInPlaceWhenItIsReady) {
  constexpr int count = 1501;
  std::vector<int> buffer(static_cast<std::size_t>(count * size()));
  PAT_Request request;
  ASSERT_EQ(PAT_Reduce_scatter_block_init(MPI_IN_PLACE, buffer.data(), count, MPI_INT, MPI_SUM,
                                          MPI_COMM_WORLD, &request),
            MPI_SUCCESS)
      << PAT_Error_string();
  for (int call = 0; call < 4; ++call) {
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
    test::sleep_ms(0.5 * ((rank() + call) % 3));
    const std::vector<int> mine = numbers(count, size(), call);
    std::vector<int> expected(count);
    buffer = mine;
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    MPI_Reduce_scatter_block(mine.data(), expected.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    ASSERT_EQ(std::vector<int>(buffer.begin(), buffer.begin() + count), expected) << call;
  }
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
}

/// Blocks of different lengths, some of them empty, in three forms.
std::vector<int> counts_of(int salt) {
  std::vector<int> counts;
  for (int r = 0; r < size(); ++r) counts.push_back((r * 5 + salt) % 4 * 301);
  return counts;
}

void compare_varying(const std::vector<int>& counts, int ints, MPI_Datatype type, MPI_Op op,
                     int call, bool in_place) {
  const int all = std::accumulate(counts.begin(), counts.end(), 0);
  const std::vector<int> mine = numbers(all * ints, 1, call);
  std::vector<int> expected(static_cast<std::size_t>(counts[rank()] * ints)), got(expected.size());
  ASSERT_EQ(
      MPI_Reduce_scatter(mine.data(), expected.data(), counts.data(), type, op, MPI_COMM_WORLD),
      MPI_SUCCESS);
  if (in_place) got = mine;
  const void* from = in_place ? MPI_IN_PLACE : mine.data();
  if (call % 2 == 0) {
    ASSERT_EQ(PAT_Reduce_scatter(from, got.data(), counts.data(), type, op, MPI_COMM_WORLD),
              MPI_SUCCESS)
        << PAT_Error_string();
  } else {
    PAT_Request request;
    ASSERT_EQ(
        PAT_Ireduce_scatter(from, got.data(), counts.data(), type, op, MPI_COMM_WORLD, &request),
        MPI_SUCCESS)
        << PAT_Error_string();
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
  }
  got.resize(expected.size());  // behind the result nothing is promised in place
  ASSERT_EQ(got, expected) << "call " << call << (in_place ? ", in place" : "");
}

TEST_P(EveryReduceScatter, EqualsMpiForBlocksOfAnyLength) {
  const test::AffineMaps maps;
  for (int call = 0; call < 8; ++call) {
    compare_varying(counts_of(call), 1, MPI_INT, MPI_SUM, call, call % 3 == 1);
    compare_varying(counts_of(call), 2, maps.type, maps.after, call, call % 3 == 2);
    if (HasFatalFailure()) return;
  }
  compare_varying(std::vector<int>(static_cast<std::size_t>(size()), 0), 1, MPI_INT, MPI_SUM, 0,
                  false);
}

TEST_P(EveryReduceScatter, WrongForecastsCostTimeButNothingElse) {
  test::call_with_broken_predictors([&](int i) { compare(2001, 1, MPI_INT, MPI_SUM, i, i == 3); });
}

/// Sums in any order with the same bits: their accumulators are blocks, too.
TEST(ReduceScatterBits, AreEqualForEveryAlgorithmWhereOrderIsFree) {
  constexpr int count = 301;
  std::vector<float> mine(static_cast<std::size_t>(count * size())), first;
  for (std::size_t i = 0; i < mine.size(); ++i)
    mine[i] = static_cast<float>(i % 17 + 1) * (rank() % 2 ? 1e-7f : 3e5f) / 7.0f;
  for (const std::string algorithm : {"ring", "pairwise", "circulant", "late-last"})
    for (const bool in_place : {false, true}) {
      ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "reproducible=any-order"), MPI_SUCCESS)
          << PAT_Error_string();
      ASSERT_EQ(PAT_UseAlgName("reduce-scatter", algorithm.c_str()), MPI_SUCCESS);
      std::vector<float> got = mine;
      ASSERT_EQ(PAT_Reduce_scatter_block(in_place ? MPI_IN_PLACE : mine.data(), got.data(), count,
                                         MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
                MPI_SUCCESS)
          << PAT_Error_string();
      ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
      got.resize(count);
      if (first.empty()) first = got;
      EXPECT_EQ(got, first) << algorithm;
    }
}

/// As above, for blocks of which one is all there is.
TEST(ReduceScatterBits, AreEqualForBlocksOfAnyLength) {
  constexpr int count = 301;
  std::vector<int> counts(static_cast<std::size_t>(size()), 0);
  counts.back() = count;
  std::vector<float> mine(count), first;
  for (std::size_t i = 0; i < mine.size(); ++i)
    mine[i] = static_cast<float>(i % 17 + 1) * (rank() % 2 ? 1e-7f : 3e5f) / 7.0f;
  for (const char* algorithm : {"ring", "pairwise", "circulant", "late-last"}) {
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "reproducible=any-order"), MPI_SUCCESS)
        << PAT_Error_string();
    ASSERT_EQ(PAT_UseAlgName("reduce-scatter", algorithm), MPI_SUCCESS);
    std::vector<float> got(static_cast<std::size_t>(counts[static_cast<std::size_t>(rank())]));
    ASSERT_EQ(PAT_Reduce_scatter(mine.data(), got.data(), counts.data(), MPI_FLOAT, MPI_SUM,
                                 MPI_COMM_WORLD),
              MPI_SUCCESS)
        << PAT_Error_string();
    ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
    if (first.empty()) first = got;
    EXPECT_EQ(got, first) << algorithm;
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryReduceScatter,
                         testing::ValuesIn(test::registered(Operation::reduce_scatter)),
                         [](const auto& test) { return test::test_name(test.param); });

}  // namespace
}  // namespace pat
