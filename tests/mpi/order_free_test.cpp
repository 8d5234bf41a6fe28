// PAT_REPRODUCIBLE=any-order: sums have the bits of one order-free sum whatever the algorithm, the
// arrivals, the form of the call and the number of ranks; and what that does not hold for.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/binned_sum.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/snapshot.hpp"
#include "pat/pat.h"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

/// Numbers of many magnitudes and both signs; every seventh element is what a cancellation leaves.
template <class T>
std::vector<T> summands(int of_rank, int call, std::size_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(1000 * call + of_rank));
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double mantissa = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
    values[i] = static_cast<T>(std::ldexp(mantissa, static_cast<int>(random() % 61) - 30));
    if (i % 7 == 0) values[i] = static_cast<T>(of_rank % 2 == 0 ? 1e8 + i : -1e8);
  }
  return values;
}

/// In rank order, without MPI.
template <class T>
std::vector<T> expected(int call, std::size_t count) {
  std::vector<std::byte> sums(count * BinnedSum<T>::bytes), one(sums.size());
  for (int r = 0; r < size(); ++r) {
    BinnedSum<T>::deposit(summands<T>(r, call, count), one.data());
    if (r == 0)
      sums = one;
    else
      BinnedSum<T>::add(one.data(), sums.data(), count);
  }
  std::vector<T> values(count);
  BinnedSum<T>::round(sums.data(), values);
  return values;
}

template <class T>
void expect_bits(const std::vector<T>& found, const std::vector<T>& wanted,
                 const std::string& where) {
  ASSERT_EQ(std::memcmp(found.data(), wanted.data(), found.size() * sizeof(T)), 0) << where;
}

void begin(const std::string& more) {
  const std::string config = "reproducible=any-order;min_bytes=1;lease_max=2;" + more;
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, config.c_str()), MPI_SUCCESS) << PAT_Error_string();
}

void arrive_late(int call) {
  if (rank() == call % size()) test::sleep_ms(1.0);
}

constexpr std::size_t count = 1003;

/// Plain, in place, persistent with parts and non-blocking, of one type.
template <class T>
void every_form_of_allreduce(MPI_Datatype type, std::size_t parts, const std::string& name) {
  const int elements = static_cast<int>(count / parts);
  const std::size_t numbers = static_cast<std::size_t>(elements) * parts;
  std::vector<T> mine(numbers), sum(numbers);
  const auto call_of = [&](int call) {
    const std::vector<T> given = summands<T>(rank(), call, numbers);
    std::copy(given.begin(), given.end(), mine.begin());  // where it lies
    std::fill(sum.begin(), sum.end(), T{7});
    arrive_late(call);
  };
  for (int call = 0; call < 3; ++call) {
    call_of(call);
    ASSERT_EQ(PAT_Allreduce(mine.data(), sum.data(), elements, type, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS)
        << PAT_Error_string();
    expect_bits(sum, expected<T>(call, numbers), name + " plain");
    call_of(call);
    ASSERT_EQ(PAT_Allreduce(MPI_IN_PLACE, mine.data(), elements, type, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS);
    expect_bits(mine, expected<T>(call, numbers), name + " in place");
    call_of(call);
    PAT_Request request = PAT_REQUEST_NULL;
    ASSERT_EQ(
        PAT_Iallreduce(mine.data(), sum.data(), elements, type, MPI_SUM, MPI_COMM_WORLD, &request),
        MPI_SUCCESS);
    std::fill(mine.begin(), mine.end(), T{0});  // it has been taken over
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS);
    expect_bits(sum, expected<T>(call, numbers), name + " non-blocking");
  }
  for (const bool in_place : {false, true}) {
    PAT_Request request = PAT_REQUEST_NULL;
    ASSERT_EQ(PAT_Allreduce_init(in_place ? MPI_IN_PLACE : mine.data(), sum.data(), elements, type,
                                 MPI_SUM, MPI_COMM_WORLD, &request),
              MPI_SUCCESS);
    if (!in_place) {
      ASSERT_EQ(PAT_Request_parts(request, 3), MPI_SUCCESS);
    }
    for (int call = 0; call < 4; ++call) {
      call_of(call);
      if (in_place) std::copy(mine.begin(), mine.end(), sum.begin());
      ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
      if (!in_place && call % 2 == 0) {
        ASSERT_EQ(PAT_Pready(request, 1), MPI_SUCCESS) << PAT_Error_string();
      }
      ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS);
      ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS);
      expect_bits(sum, expected<T>(call, numbers),
                  name + (in_place ? " persistent in place" : " persistent"));
    }
    ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS);
  }
}

class OrderFreeAllreduce : public testing::TestWithParam<std::string> {};

TEST_P(OrderFreeAllreduce, HasTheSameBitsInEveryFormAndType) {
  begin("alg=allreduce=" + GetParam());
  every_form_of_allreduce<double>(MPI_DOUBLE, 1, "double");
  every_form_of_allreduce<float>(MPI_FLOAT, 1, "float");
  every_form_of_allreduce<double>(MPI_C_DOUBLE_COMPLEX, 2, "double complex");
  every_form_of_allreduce<float>(MPI_C_FLOAT_COMPLEX, 2, "float complex");
  EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
}

INSTANTIATE_TEST_SUITE_P(Registered, OrderFreeAllreduce,
                         testing::ValuesIn(test::registered(Operation::allreduce)),
                         [](const auto& test) { return test::test_name(test.param); });

class OrderFreeReduce : public testing::TestWithParam<std::string> {};

TEST_P(OrderFreeReduce, HasTheSameBitsForEveryRoot) {
  begin("alg=reduce=" + GetParam());
  for (int root = 0; root < size(); ++root) {
    const bool here = rank() == root;
    std::vector<double> mine = summands<double>(rank(), root, count), sum(here ? count : 0);
    arrive_late(root);
    ASSERT_EQ(PAT_Reduce(mine.data(), here ? sum.data() : nullptr, count, MPI_DOUBLE, MPI_SUM, root,
                         MPI_COMM_WORLD),
              MPI_SUCCESS)
        << PAT_Error_string();
    if (here) expect_bits(sum, expected<double>(root, count), "plain");
    PAT_Request request = PAT_REQUEST_NULL;
    ASSERT_EQ(PAT_Ireduce(here ? MPI_IN_PLACE : mine.data(), here ? mine.data() : nullptr, count,
                          MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD, &request),
              MPI_SUCCESS)
        << PAT_Error_string();
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS);
    if (here) expect_bits(mine, expected<double>(root, count), "in place, non-blocking");
  }
  EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
}

INSTANTIATE_TEST_SUITE_P(Registered, OrderFreeReduce,
                         testing::ValuesIn(test::registered(Operation::reduce)),
                         [](const auto& test) { return test::test_name(test.param); });

/// Of all calls on all streams so far: why they went as they did.
bool any_reason_begins(const char* operation, const char* text) {
  for (const auto& stream : detail::take_snapshot(detail::Session::get("test")).streams)
    if (stream.key.operation == operation)
      for (const auto& reason : stream.tally.reasons.by_calls())
        if (reason.latest.starts_with(text)) return true;
  return false;
}

/// Sums and whole numbers may follow the arrivals; what depends on the order may not.
TEST(OrderFree, HoldsForWhatItCanHoldFor) {
  if (size() < 2) return;
  struct Case {
    MPI_Datatype type;
    MPI_Op op;
    bool follows;
  };
  const Case cases[] = {{MPI_DOUBLE, MPI_SUM, true},  {MPI_INT, MPI_SUM, true},
                        {MPI_INT64_T, MPI_MAX, true}, {MPI_DOUBLE, MPI_PROD, false},
                        {MPI_DOUBLE, MPI_MAX, false}, {MPI_LONG_DOUBLE, MPI_SUM, false}};
  for (const Case& one : cases) {
    begin("");
    std::vector<long double> mine(4096, 0.0L), sum(4096, 0.0L);
    for (int call = 0; call < 3; ++call)
      ASSERT_EQ(PAT_Allreduce(mine.data(), sum.data(), 4096, one.type, one.op, MPI_COMM_WORLD),
                MPI_SUCCESS)
          << PAT_Error_string();
    if (rank() == 0) {
      EXPECT_EQ(any_reason_begins("allreduce", "reproducible"), !one.follows)
          << "case " << &one - cases;
    }
    EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
  }
}

/// The smallest calls keep the promise too.
TEST(OrderFree, HoldsBelowTheSmallestSizeForAuto) {
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "reproducible=any-order"), MPI_SUCCESS);
  for (int call = 0; call < 200; ++call) {
    const std::vector<double> mine = summands<double>(rank(), call, 3);
    std::vector<double> sum(3);
    ASSERT_EQ(PAT_Allreduce(mine.data(), sum.data(), 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS);
    expect_bits(sum, expected<double>(call, 3), "small");
    ASSERT_EQ(PAT_Allreduce(mine.data(), sum.data(), 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS);
  }
  EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

}  // namespace
}  // namespace pat
