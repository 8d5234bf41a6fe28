// How the rounds of a daemon are spaced, without a thread and without a clock.

#include "libpat/agreement/pace.hpp"

#include <gtest/gtest.h>

namespace pat::detail::pace {
namespace {

constexpr std::int64_t ms = 1'000'000;

TEST(Motion, LastsAWhileAfterTheLastChange) {
  Motion motion;
  EXPECT_FALSE(motion.round(false, 1 * ms));
  EXPECT_TRUE(motion.round(true, 2 * ms));
  EXPECT_TRUE(motion.round(false, 2 * ms + moving_ns - 1));
  EXPECT_FALSE(motion.round(false, 2 * ms + moving_ns));
}

TEST(Pace, ComesSoonerWhileDataMovesThanWhileItComputes) {
  Pace pace(0);
  EXPECT_EQ(pace.pause_ns({.moving = true, .computing = true}, ms, 0), moving_pause_ns);
  EXPECT_EQ(pace.pause_ns({.computing = true}, 2 * ms, 0), busy_pause_ns);
  EXPECT_EQ(pace.pause_ns({.messages = true}, 3 * ms, 0), busy_pause_ns);
}

TEST(Pace, SlowsDownWhenNothingGoesOn) {
  Pace pace(0);
  std::int64_t before = busy_pause_ns, now = 0;
  for (int round = 0; round < 20; ++round) {
    const std::int64_t pause = pace.pause_ns({}, now += ms, 0);
    EXPECT_EQ(pause, std::min(longest_pause_ns, before + before / 2));
    before = pause;
  }
  EXPECT_EQ(before, longest_pause_ns);
  EXPECT_EQ(pace.pause_ns({.computing = true}, now, 0), busy_pause_ns);
}

TEST(Pace, IsThereWhenADecisionIsDue) {
  Pace pace(0);
  EXPECT_EQ(pace.pause_ns({.computing = true, .urgent_ns = 10 * ms + 300'000}, 10 * ms, 0),
            300'000);
  EXPECT_EQ(pace.pause_ns({.computing = true, .urgent_ns = 9 * ms}, 10 * ms, 0), shortest_pause_ns);
  EXPECT_EQ(pace.pause_ns({.computing = true, .urgent_ns = 99 * ms}, 10 * ms, 0), busy_pause_ns);
}

TEST(Pace, IsThereWhenADecisionIsDueWhateverItHasUsed) {
  Pace pace(0);
  pace.pause_ns({.computing = true}, 0, 100 * ms);
  ASSERT_EQ(pace.debt_ns(), longest_pause_ns);
  EXPECT_EQ(pace.pause_ns({.computing = true, .urgent_ns = 3 * ms}, ms, 0), 2 * ms);
  EXPECT_EQ(pace.pause_ns({.computing = true, .urgent_ns = 99 * ms}, 3 * ms, 0), longest_pause_ns);
}

/// A leader hears of everybody.
TEST(Pace, CountsWhatOthersAskForAsATenth) {
  Pace pace(0);
  pace.pause_ns({.messages = true, .computing = true}, 0, 10 * most_saved_cpu_ns);
  EXPECT_EQ(pace.debt_ns(), 0) << "it was saved";
  pace.pause_ns({.messages = true, .computing = true}, 0, 200'000);
  EXPECT_EQ(pace.debt_ns(), 5 * ms) << "a tenth of 200 us, at 0.4 %";
}

TEST(Pace, RestsLongerWhenNobodyAsks) {
  Pace pace(0);
  EXPECT_EQ(pace.pause_ns({.resting = true}, ms, 0), rest_ns);
  EXPECT_EQ(pace.pause_ns({.resting = true, .leading = true}, ms, 0), longest_pause_ns);
}

TEST(Pace, WaitsForTheNextPhaseWhereThatAloneChangesAnything) {
  Pace pace(0);
  EXPECT_EQ(pace.pause_ns({.idle = true}, ms, 0), longest_pause_ns);
}

TEST(Pace, SaysWhenItHasEarnedWhatItUsed) {
  Pace pace(0);
  pace.pause_ns({.resting = true}, 0, most_saved_cpu_ns);
  EXPECT_EQ(pace.debt_ns(), 0) << "it was saved";
  pace.pause_ns({.resting = true}, 0, 20'000);
  EXPECT_EQ(pace.debt_ns(), 5 * ms) << "20 us, at 0.4 %";
  pace.pause_ns({.resting = true}, 5 * ms, 0);
  EXPECT_EQ(pace.debt_ns(), 0);
  pace.pause_ns({.resting = true}, 5 * ms, 1000 * ms);
  EXPECT_EQ(pace.debt_ns(), longest_pause_ns);
}

/// Rounds that cost more than their share of the time between them are spaced out until they do
/// not, whatever they cost; those that move data are not counted.
TEST(Pace, KeepsToItsShareOfACore) {
  for (const std::int64_t cost : {10'000, 50'000}) {
    Pace pace(0);
    std::int64_t now = 0, spent = 0;
    for (int round = 0; round < 1000; ++round) {
      now += cost + pace.pause_ns({.computing = true}, now, round == 0 ? 0 : cost);
      spent += cost;
    }
    EXPECT_LT(static_cast<double>(spent - most_saved_cpu_ns - cost),
              share * static_cast<double>(now))
        << cost;
  }
  Pace pace(0);
  std::int64_t now = 0;
  for (int round = 0; round < 1000; ++round)
    EXPECT_EQ(pace.pause_ns({.moving = true}, now += 250'000, 50'000), moving_pause_ns);
}

}  // namespace
}  // namespace pat::detail::pace
