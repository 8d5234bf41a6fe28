// What exchanges of messages say of another clock: right within what it claims, whatever the round
// trips are, and after a while good enough to go without them.

#include "core/clock_difference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pat {
namespace {

constexpr std::int64_t us = 1000, second = 1'000'000'000;

/// A clock that is `ahead_ns` at time 0 and runs faster by `rate`.
struct Other {
  std::int64_t ahead_ns;
  double rate;
  std::int64_t ahead(std::int64_t at_ns) const {
    return ahead_ns + std::llround(rate * static_cast<double>(at_ns));
  }
};

/// An exchange that begins at `sent_ns` and takes `there_ns` and `back_ns`.
void exchange(ClockDifference& known, const Other& other, std::int64_t sent_ns,
              std::int64_t there_ns, std::int64_t back_ns) {
  const std::int64_t shown = sent_ns + there_ns;
  known.note(sent_ns, shown + other.ahead(shown), sent_ns + there_ns + back_ns);
}

TEST(ClockDifference, IsRightWithinWhatItClaims) {
  for (const double rate : {0.0, 50e-6, -50e-6, 95e-6})
    for (unsigned seed = 0; seed < 20; ++seed) {
      std::mt19937 random(seed);
      std::exponential_distribution<> way_us(1.0 / 200.0);
      const Other other{50'000 * us, rate};
      ClockDifference known(0, other.ahead(0) + 4 * us, 5 * us);
      for (std::int64_t at = second / 4; at < 400 * second; at += second / 4) {
        exchange(known, other, at, 5 * us + std::llround(way_us(random) * us),
                 5 * us + std::llround(way_us(random) * us));
        for (const std::int64_t later : {at + second / 10, at + 10 * second})
          ASSERT_LE(std::abs(known.ahead_ns(later) - other.ahead(later)),
                    known.half_width_ns(later) + 1)
              << "rate " << rate << ", seed " << seed << ", " << at;
      }
      const std::int64_t end = 401 * second;
      EXPECT_LE(known.half_width_ns(end), 60 * us) << "rate " << rate << ", seed " << seed;
    }
}

TEST(ClockDifference, LearnsTheDrift) {
  const Other other{-3 * second, 50e-6};
  ClockDifference known(0, other.ahead(0), 5 * us);
  EXPECT_EQ(known.ahead_ns(100 * second), other.ahead(0)) << "nothing is known of it yet";
  EXPECT_GE(known.half_width_ns(100 * second), 10'000 * us);
  exchange(known, other, 100 * second, 40 * us, 40 * us);
  EXPECT_NEAR(static_cast<double>(known.ahead_ns(200 * second)),
              static_cast<double>(other.ahead(200 * second)), 90e3);
  EXPECT_LE(known.half_width_ns(200 * second), 100 * us);
}

TEST(ClockDifference, AWorseExchangeSaysNothing) {
  const Other other{1000 * us, 0.0};
  ClockDifference known(0, 1000 * us, 5 * us);
  exchange(known, other, second, 90'000 * us, 10 * us);  // 40 ms wrong if it were believed
  EXPECT_EQ(known.ahead_ns(second), 1000 * us);
}

}  // namespace
}  // namespace pat
