// Every registered allreduce against MPI's own: counts, predefined and user operations (also ones
// that do not commute), derived types, in place, wrong forecasts; equal bits on all ranks.

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"
#include "tests/mpi/user_operators.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

class EveryAllreduce : public test::Running, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::Running::SetUp();
    ASSERT_EQ(PAT_UseAlgName("allreduce", GetParam().c_str()), MPI_SUCCESS) << PAT_Error_string();
  }
};

template <class T>
void compare(const std::vector<T>& mine, int count, MPI_Datatype type, MPI_Op op, bool in_place,
             MPI_Comm comm = MPI_COMM_WORLD) {
  std::vector<T> expected = mine, got = mine;
  const void* source = in_place ? MPI_IN_PLACE : static_cast<const void*>(mine.data());
  ASSERT_EQ(MPI_Allreduce(mine.data(), expected.data(), count, type, op, comm), MPI_SUCCESS);
  ASSERT_EQ(PAT_Allreduce(source, got.data(), count, type, op, comm), MPI_SUCCESS)
      << PAT_Error_string();
  ASSERT_TRUE(mine.empty() ||
              std::memcmp(expected.data(), got.data(), expected.size() * sizeof(T)) == 0);
}

std::vector<int> small_numbers(int count) {
  std::vector<int> mine(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) mine[static_cast<std::size_t>(i)] = (rank() * 31 + i * 7) % 5 + 1;
  return mine;
}

TEST_P(EveryAllreduce, EqualsMpiForEveryCount) {
  for (const int count : {0, 1, 2, 7, 1000, 5003, 200003})
    for (int call = 0; call < 3; ++call) {
      compare(small_numbers(count), count, MPI_INT, MPI_SUM, call == 2);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryAllreduce, EqualsMpiForPredefinedOperationsAndTypes) {
  std::vector<double> halves(2004);
  for (std::size_t i = 0; i < halves.size(); ++i)
    halves[i] = 0.5 * (rank() + static_cast<double>(i % 9));
  std::vector<int> pairs(4000);  // value and index
  for (int i = 0; i < 2000; ++i) {
    pairs[static_cast<std::size_t>(2 * i)] = (7 * i + rank()) % 5;
    pairs[static_cast<std::size_t>(2 * i + 1)] = rank();
  }
  for (int call = 0; call < 3; ++call) {
    for (MPI_Op op : {MPI_PROD, MPI_MAX, MPI_BAND, MPI_BXOR, MPI_LOR})
      compare(small_numbers(2003), 2003, MPI_INT, op, call == 1);
    compare(halves, 2004, MPI_DOUBLE, MPI_SUM, call == 2);
    compare(halves, 1002, MPI_C_DOUBLE_COMPLEX, MPI_SUM, call == 2);
    compare(pairs, 2000, MPI_2INT, MPI_MAXLOC, call == 2);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryAllreduce, WorksOnSubCommunicatorsInterleaved) {
  const test::SubCommunicators on;
  for (int call = 0; call < 4; ++call) {
    compare(small_numbers(2003), 2003, MPI_INT, MPI_SUM, false, on.half);
    compare(small_numbers(2003), 2003, MPI_INT, MPI_SUM, true, on.reversed);
    compare(small_numbers(2003), 2003, MPI_INT, MPI_SUM, false);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryAllreduce, KeepsTheOrderOfOperandsThatDoNotCommute) {
  const test::AffineMaps maps;
  for (const int count : {1, 3, 1500})
    for (int call = 0; call < 3; ++call) {
      compare(small_numbers(2 * count), count, maps.type, maps.after, call == 2);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryAllreduce, EqualsMpiForTypesWithGaps) {
  const test::GappedPairs pairs;
  for (const int count : {1, 5, 700})
    for (const bool in_place : {false, true}) {
      const std::vector<int> mine = small_numbers(4 * count);
      std::vector<int> sum(mine.size()), got(mine.size(), -9);
      MPI_Allreduce(mine.data(), sum.data(), 4 * count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      if (in_place) got = mine;
      const std::vector<int> before = got;
      ASSERT_EQ(PAT_Allreduce(in_place ? MPI_IN_PLACE : mine.data(), got.data(), count, pairs.type,
                              pairs.add, MPI_COMM_WORLD),
                MPI_SUCCESS)
          << PAT_Error_string();
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], i % 2 == 0 ? sum[i] : before[i]) << "int " << i;
    }
}

TEST_P(EveryAllreduce, WrongForecastsCostTimeButNothingElse) {
  test::call_with_broken_predictors(
      [&](int i) { compare(small_numbers(4001), 4001, MPI_INT, MPI_SUM, i == 3); });
}

/// Sums of numbers whose last bits tell the order of the additions, each rank late in turn.
std::vector<std::vector<float>> sums_in_turns(const std::string& algorithm, const char* settings) {
  std::vector<float> mine(3001);
  for (std::size_t i = 0; i < mine.size(); ++i)
    mine[i] =
        std::sin(static_cast<float>(i + 1)) * std::pow(10.0f, static_cast<float>((rank() * 3) % 7));
  std::vector<std::vector<float>> sums(9, std::vector<float>(mine.size()));
  EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, settings), MPI_SUCCESS) << PAT_Error_string();
  EXPECT_EQ(PAT_UseAlgName("allreduce", algorithm.c_str()), MPI_SUCCESS) << PAT_Error_string();
  for (std::size_t call = 0; call < sums.size(); ++call) {
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(rank() == static_cast<int>(call / 3) % size() ? 12.0 : 2.0);
    EXPECT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    EXPECT_EQ(
        PAT_Allreduce(mine.data(), sums[call].data(), 3001, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
        MPI_SUCCESS)
        << PAT_Error_string();
  }
  EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
  return sums;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class AllreduceBits : public testing::TestWithParam<std::string> {};

TEST_P(AllreduceBits, AreEqualOnAllRanks) {
  for (std::vector<float> sum : sums_in_turns(GetParam(), "lease_max=1")) {
    const std::vector<float> mine = sum;
    MPI_Bcast(sum.data(), static_cast<int>(sum.size()), MPI_FLOAT, 0, MPI_COMM_WORLD);
    EXPECT_TRUE(same_bits(mine, sum));
  }
}

TEST_P(AllreduceBits, AreEqualInEveryCallWhereThatIsAskedFor) {
  for (const char* settings :
       {"reproducible=1;lease_max=1", "reproducible=1;lease_max=1;segments=5"}) {
    const auto sums = sums_in_turns(GetParam(), settings);
    for (const std::vector<float>& sum : sums) EXPECT_TRUE(same_bits(sum, sums[0])) << settings;
  }
}

/// Where no daemon brings requests forward, plain calls may not block from the first request on:
/// they do not become the library's non-blocking ones, which add in another order.
TEST(PlainAllreduce, KeepsItsBitsAfterARequest) {
  for (const char* settings : {"reproducible=1;daemon=off", "reproducible=1"})
    for (const int count : {1, 100, 3001}) {
      std::vector<float> mine(static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < mine.size(); ++i)
        mine[i] = std::sin(static_cast<float>(i + 1)) *
                  std::pow(10.0f, static_cast<float>((rank() * 3) % 7));
      ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, settings), MPI_SUCCESS) << PAT_Error_string();
      std::vector<std::vector<float>> sums(4, mine);
      for (std::vector<float>& sum : sums) {
        EXPECT_EQ(PAT_Allreduce(mine.data(), sum.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
                  MPI_SUCCESS)
            << PAT_Error_string();
        EXPECT_TRUE(same_bits(sum, sums[0])) << settings << ", " << count << " elements";
        if (&sum != &sums[1]) continue;
        PAT_Request barrier = PAT_REQUEST_NULL;
        EXPECT_EQ(PAT_Ibarrier(MPI_COMM_WORLD, &barrier), MPI_SUCCESS) << PAT_Error_string();
        EXPECT_EQ(PAT_Wait(barrier), MPI_SUCCESS) << PAT_Error_string();
      }
      EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
    }
}

INSTANTIATE_TEST_SUITE_P(Registered, AllreduceBits,
                         testing::ValuesIn(test::registered(Operation::allreduce)),
                         [](const auto& test) { return test::test_name(test.param); });

INSTANTIATE_TEST_SUITE_P(Registered, EveryAllreduce,
                         testing::ValuesIn(test::registered(Operation::allreduce)),
                         [](const auto& test) { return test::test_name(test.param); });

}  // namespace
}  // namespace pat
