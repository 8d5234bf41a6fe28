// Sums whose bits are the same in any order: against the exact sum, in a thousand orders and trees,
// and what IEEE 754 says of zeros, infinities and NaNs.

#include "core/binned_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace pat {
namespace {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
BitsOf<T> bits(T value) {
  return std::bit_cast<BitsOf<T>>(value);
}

using Sum = std::vector<std::byte>;

template <class T>
Sum sum_of(T value) {
  Sum sum(BinnedSum<T>::bytes);
  BinnedSum<T>::deposit({&value, 1}, sum.data());
  return sum;
}

template <class T>
T value_of(const Sum& sum) {
  T value = 0;
  BinnedSum<T>::round(sum.data(), {&value, 1});
  return value;
}

/// Added up by a random tree.
template <class T>
T in_some_order(const std::vector<T>& values, std::mt19937_64& random) {
  std::vector<Sum> sums;
  for (const T value : values) sums.push_back(sum_of(value));
  while (sums.size() > 1) {
    std::swap(sums[random() % sums.size()], sums.back());
    const Sum last = sums.back();
    sums.pop_back();
    BinnedSum<T>::add(last.data(), sums[random() % sums.size()].data(), 1);
  }
  return value_of<T>(sums.front());
}

template <class T>
T in_order(const std::vector<T>& values) {
  Sum sum = sum_of(values.front());
  for (std::size_t i = 1; i < values.size(); ++i)
    BinnedSum<T>::add(sum_of(values[i]).data(), sum.data(), 1);
  return value_of<T>(sum);
}

/// Any finite value, every exponent alike.
template <class T>
T any_value(std::mt19937_64& random) {
  for (;;) {
    const T value = std::bit_cast<T>(static_cast<BitsOf<T>>(random()));
    if (std::isfinite(value)) return value;
  }
}

template <class T>
class BinnedSums : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(BinnedSums, Types);

TYPED_TEST(BinnedSums, OneSummandComesBackAsItIs) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(1);
  std::vector<T> values = {T{0},
                           -T{0},
                           T{1},
                           -T{1},
                           Limits::min(),
                           Limits::max(),
                           Limits::lowest(),
                           Limits::denorm_min(),
                           -Limits::denorm_min(),
                           Limits::infinity(),
                           -Limits::infinity()};
  for (int i = 0; i < 100000; ++i) values.push_back(any_value<T>(random));
  for (int exponent = Limits::min_exponent - Limits::digits; exponent < Limits::max_exponent;
       ++exponent)
    values.push_back(std::ldexp(T{1}, exponent));
  for (const T value : values) ASSERT_EQ(bits(value_of<T>(sum_of(value))), bits(value)) << value;
  EXPECT_TRUE(std::isnan(value_of<T>(sum_of(Limits::quiet_NaN()))));
}

TYPED_TEST(BinnedSums, AreTheSameInAThousandOrdersAndTrees) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  for (int summands = 2; summands <= 32; ++summands)
    for (const int spread : {0, 3, 60, 2000}) {  // of the exponents
      std::vector<T> values;
      for (int i = 0; i < summands; ++i)
        values.push_back(spread == 2000
                             ? any_value<T>(random)
                             : std::ldexp(static_cast<T>(random()) - static_cast<T>(random()),
                                          -static_cast<int>(random() % (spread + 1)) - 60));
      const auto expected = bits(in_order(values));
      for (int i = 0; i < 1000 / 4; ++i)
        ASSERT_EQ(bits(in_some_order(values, random)), expected) << summands << " summands";
    }
}

/// Sums of whole numbers times one power of two, of 100 bits at most, which 128 bits hold.
TYPED_TEST(BinnedSums, AreWithinTheirBoundOfTheExactSum) {
  using T = TypeParam;
  __extension__ using Exact = __int128;
  constexpr int precision = std::numeric_limits<T>::digits;
  std::mt19937_64 random(3);
  for (int turn = 0; turn < 20000; ++turn) {
    const int summands = 1 + static_cast<int>(random() % 40);
    std::vector<T> values;
    Exact exact = 0;
    T largest = 0;
    for (int i = 0; i < summands; ++i) {
      auto whole = static_cast<std::int64_t>(random() >> (64 - precision));
      if (random() % 2 == 0) whole = -whole;
      const int up = static_cast<int>(random() % (90 - precision));
      values.push_back(std::ldexp(static_cast<T>(whole), up - 40));
      exact += static_cast<Exact>(whole) << up;
      largest = std::max(largest, std::abs(values.back()));
    }
    if (turn % 3 == 0) {  // what is left of a cancellation
      for (std::size_t k = 0, half = values.size(); k < half; ++k) values.push_back(-values[k]);
      exact = static_cast<std::int64_t>(random() >> (64 - precision));
      values.push_back(std::ldexp(static_cast<T>(exact), -40));
    }
    const long double expected = std::ldexp(static_cast<long double>(exact), -40);
    const T sum = in_order(values);
    const long double cut = static_cast<long double>(values.size()) * largest *
                            std::ldexp(1.0L, -(BinnedSum<T>::bins - 1) * BinnedSum<T>::width);
    const long double rounding = std::abs(expected) * std::ldexp(1.0L, -precision);
    ASSERT_LE(std::abs(sum - expected), (cut + rounding) * 1.000001L) << summands << " summands";
  }
}

TYPED_TEST(BinnedSums, AreRoundedOnceToNearest) {
  using T = TypeParam;
  const T ulp = std::numeric_limits<T>::epsilon();
  EXPECT_EQ(in_order<T>({1, ulp / 2}), T{1}) << "a tie, to even";
  EXPECT_EQ(in_order<T>({1 + ulp, ulp / 2}), 1 + 2 * ulp) << "a tie, to even";
  EXPECT_EQ(in_order<T>({1, ulp / 2, ulp / 16}), 1 + ulp);
  EXPECT_EQ(in_order<T>({1, ulp / 4, ulp / 4, ulp / 16}), 1 + ulp) << "a plain sum says 1";
  EXPECT_EQ(in_order<T>({-1, -ulp / 2, -ulp / 16}), -1 - ulp);
}

TYPED_TEST(BinnedSums, DoAsPlainSumsWithZerosInfinitiesAndNaNs) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T inf = Limits::infinity(), tiny = Limits::denorm_min(), most = Limits::max();
  EXPECT_EQ(bits(in_order<T>({-T{0}, -T{0}})), bits(-T{0}));
  EXPECT_EQ(bits(in_order<T>({-T{0}, T{0}})), bits(T{0}));
  EXPECT_EQ(bits(in_order<T>({T{5}, -T{5}})), bits(T{0}));
  EXPECT_EQ(bits(in_order<T>({-T{0}, -T{5}, T{5}})), bits(T{0}));
  EXPECT_EQ(in_order<T>({tiny, tiny, tiny}), 3 * tiny);
  EXPECT_EQ(in_order<T>({Limits::min(), -tiny}), Limits::min() - tiny) << "a denormal again";
  EXPECT_EQ(in_order<T>({inf, most, -most, 1}), inf);
  EXPECT_EQ(in_order<T>({-inf, most}), -inf);
  EXPECT_TRUE(std::isnan(in_order<T>({inf, -inf})));
  EXPECT_TRUE(std::isnan(in_order<T>({1, Limits::quiet_NaN(), inf})));
  EXPECT_EQ(in_order<T>({most, most}), inf);
  EXPECT_EQ(in_order<T>({-most, -most}), -inf);
  EXPECT_EQ(in_order<T>({most, most, -most}), most) << "beyond the range on its way only";
  EXPECT_EQ(bits(in_order<T>({Limits::quiet_NaN(), 1})), bits(in_order<T>({inf, -inf})));
}

TYPED_TEST(BinnedSums, HoldAsManySummandsAsTheySay) {
  using T = TypeParam;
  const T one = std::nextafter(T{2}, T{0});  // all bits of a digit set
  Sum sum = sum_of(one);
  for (int i = 1; i < BinnedSum<T>::most_summands; ++i)
    BinnedSum<T>::add(sum_of(one).data(), sum.data(), 1);
  EXPECT_EQ(value_of<T>(sum), one * BinnedSum<T>::most_summands);
  for (int i = 0; i < BinnedSum<T>::most_summands; ++i) ASSERT_NE(value_of<T>(sum), T{0});
}

}  // namespace
}  // namespace pat
