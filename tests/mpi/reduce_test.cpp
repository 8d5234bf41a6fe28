// Every registered reduce against MPI's own: roots, counts, predefined and user operations (also
// ones that do not commute), derived types, in place, reproducible bits.

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/library_faults.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"
#include "tests/mpi/user_operators.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

class EveryReduce : public test::Running, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::Running::SetUp();
    ASSERT_EQ(PAT_UseAlgName("reduce", GetParam().c_str()), MPI_SUCCESS) << PAT_Error_string();
    const bool by_library = GetParam() == "auto" || GetParam() == "mpi" || size() == 1;
    in_place_is_tried = !by_library || test::library_reduces_in_place;
  }

 public:
  static inline bool in_place_is_tried = true;
};

template <class T>
void compare(const std::vector<T>& mine, int count, MPI_Datatype type, MPI_Op op, int root,
             bool in_place, MPI_Comm comm = MPI_COMM_WORLD) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  const bool is_root = me == root;
  in_place = in_place && EveryReduce::in_place_is_tried;
  std::vector<T> expected(is_root ? mine.size() : 0), got;
  if (is_root && in_place) expected = mine;
  got = expected;
  const void* source = is_root && in_place ? MPI_IN_PLACE : mine.data();
  // Never in place: MPICH 4.0.2 crashes in it on three ranks, with 1000 ints for one.
  ASSERT_EQ(MPI_Reduce(mine.data(), expected.data(), count, type, op, root, comm), MPI_SUCCESS);
  ASSERT_EQ(PAT_Reduce(source, got.data(), count, type, op, root, comm), MPI_SUCCESS)
      << PAT_Error_string();
  ASSERT_TRUE(expected.empty() ||
              std::memcmp(expected.data(), got.data(), expected.size() * sizeof(T)) == 0);
}

std::vector<int> small_numbers(int count) {
  std::vector<int> mine(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) mine[static_cast<std::size_t>(i)] = (rank() * 31 + i * 7) % 5 + 1;
  return mine;
}

TEST_P(EveryReduce, EqualsMpiForEveryRootAndCount) {
  for (int root = 0; root < size(); ++root)
    for (const int count : {0, 1, 2, 7, 1000, 5003})
      for (int call = 0; call < 3; ++call) {
        compare(small_numbers(count), count, MPI_INT, MPI_SUM, root, call == 2);
        if (HasFatalFailure()) return;
      }
}

TEST_P(EveryReduce, EqualsMpiForPredefinedOperations) {
  for (MPI_Op op :
       {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR})
    for (int call = 0; call < 3; ++call) {
      compare(small_numbers(2003), 2003, MPI_INT, op, call % size(), call == 1);
      if (HasFatalFailure()) return;
    }
  struct ValueAt {
    double value;
    int at;
  };
  std::vector<ValueAt> mine(1500);
  std::memset(static_cast<void*>(mine.data()), 0, mine.size() * sizeof(ValueAt));
  for (int i = 0; i < 1500; ++i)
    mine[static_cast<std::size_t>(i)].value = (rank() * 13 + i) % 7,
    mine[static_cast<std::size_t>(i)].at = rank();
  for (int call = 0; call < 3; ++call) {
    std::vector<ValueAt> expected(1500), got(1500);
    ASSERT_EQ(MPI_Reduce(mine.data(), expected.data(), 1500, MPI_DOUBLE_INT, MPI_MINLOC, 0,
                         MPI_COMM_WORLD),
              MPI_SUCCESS);
    ASSERT_EQ(
        PAT_Reduce(mine.data(), got.data(), 1500, MPI_DOUBLE_INT, MPI_MINLOC, 0, MPI_COMM_WORLD),
        MPI_SUCCESS);
    for (std::size_t i = 0; rank() == 0 && i < 1500; ++i) {
      ASSERT_EQ(expected[i].value, got[i].value);
      ASSERT_EQ(expected[i].at, got[i].at);
    }
  }
}

/// Numbers whose sums are exact in any order.
TEST_P(EveryReduce, EqualsMpiForFurtherTypes) {
  std::vector<double> halves(2004);
  for (std::size_t i = 0; i < halves.size(); ++i)
    halves[i] = 0.5 * (rank() + static_cast<double>(i % 9));
  std::vector<long long> wide(2003);
  for (std::size_t i = 0; i < wide.size(); ++i)
    wide[i] = (1LL << 40) * static_cast<long long>((i + static_cast<std::size_t>(rank())) % 3);
  std::vector<unsigned char> bytes(2003, static_cast<unsigned char>(rank() * 37));
  std::vector<int> pairs(4000);  // value and index
  for (int i = 0; i < 2000; ++i) {
    pairs[static_cast<std::size_t>(2 * i)] = (7 * i + rank()) % 5;
    pairs[static_cast<std::size_t>(2 * i + 1)] = rank();
  }
  for (int call = 0; call < 3; ++call) {
    const int root = call % size();
    const bool in_place = call == 2;
    compare(halves, 2004, MPI_DOUBLE, MPI_SUM, root, in_place);
    compare(halves, 1002, MPI_C_DOUBLE_COMPLEX, MPI_SUM, root, in_place);
    compare(halves, 2004, MPI_DOUBLE, MPI_MAX, root, in_place);
    compare(wide, 2003, MPI_LONG_LONG, MPI_SUM, root, in_place);
    compare(wide, 2003, MPI_LONG_LONG, MPI_LXOR, root, in_place);
    compare(small_numbers(2003), 2003, MPI_INT, MPI_LXOR, root, in_place);
    compare(bytes, 2003, MPI_BYTE, MPI_BXOR, root, in_place);
    compare(pairs, 2000, MPI_2INT, MPI_MAXLOC, root, in_place);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryReduce, WorksOnSubCommunicatorsInterleaved) {
  const test::SubCommunicators on;
  for (int call = 0; call < 6; ++call) {
    compare(small_numbers(2003), 2003, MPI_INT, MPI_SUM, call % on.half_size, false, on.half);
    compare(small_numbers(2003), 2003, MPI_INT, MPI_SUM, call % size(), true, on.reversed);
    compare(small_numbers(2003), 2003, MPI_INT, MPI_SUM, 0, false);
    if (HasFatalFailure()) return;
  }
}

/// Products of 2x2 matrices modulo a prime: associative, does not commute.
void multiply(void* in, void* inout, int* length, MPI_Datatype*) {
  constexpr long long prime = 1000003;
  const int* a = static_cast<const int*>(in);
  int* b = static_cast<int*>(inout);
  for (int k = 0; k < *length; ++k, a += 4, b += 4) {
    const long long p = (1LL * a[0] * b[0] + 1LL * a[1] * b[2]) % prime;
    const long long q = (1LL * a[0] * b[1] + 1LL * a[1] * b[3]) % prime;
    const long long r = (1LL * a[2] * b[0] + 1LL * a[3] * b[2]) % prime;
    const long long s = (1LL * a[2] * b[1] + 1LL * a[3] * b[3]) % prime;
    b[0] = static_cast<int>(p), b[1] = static_cast<int>(q);
    b[2] = static_cast<int>(r), b[3] = static_cast<int>(s);
  }
}

TEST_P(EveryReduce, KeepsTheOrderOfOperandsThatDoNotCommute) {
  MPI_Datatype matrix;
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op product;
  MPI_Op_create(multiply, 0, &product);
  for (const int count : {1, 3, 500})
    for (int call = 0; call < 3; ++call) {
      compare(small_numbers(4 * count), count, matrix, product, call % size(), call == 2);
      if (HasFatalFailure()) return;
    }
  MPI_Op_free(&product);
  MPI_Type_free(&matrix);
}

void compare_gapped(int count, MPI_Datatype gapped, MPI_Op add, int root, bool in_place) {
  const std::vector<int> mine = small_numbers(4 * count);
  std::vector<int> sum(mine.size()), got(rank() == root ? mine.size() : 0, -9);
  MPI_Reduce(mine.data(), sum.data(), 4 * count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  in_place = in_place && rank() == root && EveryReduce::in_place_is_tried;
  if (in_place) got = mine;
  const std::vector<int> before = got;
  ASSERT_EQ(PAT_Reduce(in_place ? MPI_IN_PLACE : mine.data(), got.data(), count, gapped, add, root,
                       MPI_COMM_WORLD),
            MPI_SUCCESS)
      << PAT_Error_string();
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], i % 2 == 0 ? sum[i] : before[i]) << "int " << i << ", root " << root;
}

TEST_P(EveryReduce, EqualsMpiForTypesWithGaps) {
  const test::GappedPairs pairs;
  for (int root = 0; root < size(); ++root)
    for (const int count : {1, 5, 700})
      for (int call = 0; call < 3; ++call) {
        compare_gapped(count, pairs.type, pairs.add, root, call == 2);
        if (HasFatalFailure()) return;
      }
}

TEST_P(EveryReduce, FollowsAnnotatedPhases) {
  for (int iteration = 0; iteration < 12; ++iteration) {
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(1.0 + (rank() * 7 + iteration) % 5);
    ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
    test::sleep_ms(1.0 + rank() % 2);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    compare(small_numbers(4001), 4001, MPI_INT, MPI_SUM, iteration % size(), false);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryReduce, WrongForecastsCostTimeButNothingElse) {
  test::call_with_broken_predictors(
      [&](int i) { compare(small_numbers(4001), 4001, MPI_INT, MPI_SUM, 0, i == 3); });
}

/// Sums to rank 0 of numbers whose last bits tell the order of the additions. Ranks 0, 1 and 2 (as
/// far as there are) come last in turn, three calls each, and are predicted to: so even with three
/// ranks each pair of them can be the first. Valid on rank 0.
std::vector<std::vector<float>> sums_in_turns(const std::string& algorithm, const char* settings) {
  std::vector<float> mine(3001);
  for (std::size_t i = 0; i < mine.size(); ++i)
    mine[i] =
        std::sin(static_cast<float>(i + 1)) * std::pow(10.0f, static_cast<float>((rank() * 3) % 7));
  std::vector<std::vector<float>> sums(9, std::vector<float>(mine.size()));
  EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, settings), MPI_SUCCESS) << PAT_Error_string();
  EXPECT_EQ(PAT_UseAlgName("reduce", algorithm.c_str()), MPI_SUCCESS) << PAT_Error_string();
  static std::atomic<double> computing_s;  // the daemon reads it
  test::break_predictor([](const Forecast&) {
    return Forecast{computing_s, computing_s, computing_s, true};
  });
  for (std::size_t call = 0; call < sums.size(); ++call) {
    computing_s = rank() == static_cast<int>(call / 3) ? 12e-3 : 2e-3;
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(1e3 * computing_s);
    EXPECT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    EXPECT_EQ(
        PAT_Reduce(mine.data(), sums[call].data(), 3001, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD),
        MPI_SUCCESS)
        << PAT_Error_string();
  }
  EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
  return sums;
}

bool all_same_bits(const std::vector<std::vector<float>>& sums) {
  return std::all_of(sums.begin(), sums.end(), [&](const std::vector<float>& sum) {
    return std::memcmp(sum.data(), sums[0].data(), sum.size() * sizeof(float)) == 0;
  });
}

/// From how many ranks on the order of the additions follows the arrivals; 0: it need not.
int ranks_to_follow(const std::string& name) {
  if (name == "auto" || !get_algorithm(Operation::reduce, name).uses_pattern) return 0;
  return name == "local-redirect-seg" ? 4 : 3;  // there the root's own come last whatever happens
}

class ReproducibleReduce : public testing::TestWithParam<std::string> {};

TEST_P(ReproducibleReduce, GivesTheSameBits) {
  const auto fixed = sums_in_turns(GetParam(), "reproducible=1;lease_max=1");
  if (rank() == 0) {
    EXPECT_TRUE(all_same_bits(fixed));
  }
  const int fewest = ranks_to_follow(GetParam());
  if (fewest == 0 || size() < fewest) return;
  const auto following = sums_in_turns(GetParam(), "reproducible=0;lease_max=1");
  if (rank() == 0) {
    EXPECT_FALSE(all_same_bits(following)) << "what the mode is for does not happen here";
  }
}

class LocalRedirect : public test::Running {
 protected:
  /// One reduction to rank 0 with rank 4 late by `delay_ms`: this rank's seconds in the call.
  static double call_s(const char* algorithm, double delay_ms, double* cpu_s = nullptr) {
    EXPECT_EQ(PAT_UseAlgName("reduce", algorithm), MPI_SUCCESS);
    const std::vector<int> mine(count, rank() + 1);
    std::vector<int> sum(mine.size(), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 4) test::sleep_ms(delay_ms);
    const double begin_s = MPI_Wtime(), cpu_begin_s = thread_cpu_s();
    EXPECT_EQ(PAT_Reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD),
              MPI_SUCCESS);
    const double time_s = MPI_Wtime() - begin_s;
    if (cpu_s != nullptr) *cpu_s = thread_cpu_s() - cpu_begin_s;
    if (rank() == 0) {
      EXPECT_EQ(sum, std::vector<int>(count, size() * (size() + 1) / 2));
    }
    return time_s;
  }

  static constexpr int count = 50000;  // more than a sender can leave behind without waiting

  static double thread_cpu_s() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
};

// The best of several rounds, as other programs may hold up any one of them; and a longer delay
// where they hold up all for longer than the first.
TEST_F(LocalRedirect, ChildrenOfALateParentNeedNotWaitForIt) {
  if (size() < 6) return;
  double redirected_s = 1e9, waited_s = 1e9;
  int faster = 0;
  for (const double delay_ms : {60.0, 240.0, 960.0}) {
    redirected_s = waited_s = 1e9;
    for (int round = 0; round < 7; ++round) {
      redirected_s = std::min(redirected_s, call_s("local-redirect", delay_ms));
      waited_s = std::min(waited_s, call_s("bnom", delay_ms));
    }
    faster = redirected_s < 0.5 * waited_s;
    MPI_Bcast(&faster, 1, MPI_INT, 5, MPI_COMM_WORLD);
    if (faster) break;
  }
  EXPECT_TRUE(faster) << redirected_s << " s, " << waited_s << " s in the tree that waits";
}

TEST_F(LocalRedirect, WaitingCostsNoCore) {
  if (size() < 5) return;
  double share = 1.0;
  for (int round = 0; round < 7; ++round) {
    double cpu_s = 0.0;
    const double time_s = call_s("local-redirect", 60.0, &cpu_s);
    share = std::min(share, cpu_s / time_s);
  }
  if (rank() == 0) {
    EXPECT_LT(share, 0.25);
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, ReproducibleReduce,
                         testing::ValuesIn(test::registered(Operation::reduce)),
                         [](const auto& test) { return test::test_name(test.param); });

INSTANTIATE_TEST_SUITE_P(Registered, EveryReduce,
                         testing::ValuesIn(test::registered(Operation::reduce)),
                         [](const auto& test) { return test::test_name(test.param); });

}  // namespace
}  // namespace pat
