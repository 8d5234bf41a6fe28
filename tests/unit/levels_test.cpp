// Changes of a rank's level in traces that were made: who, from which call on, by how much, how
// long.

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <sstream>
#include <string>

#include "analysis/findings.hpp"
#include "analysis/headline.hpp"
#include "analysis/levels.hpp"

namespace pat {
namespace {

constexpr double usual_s = 0.010, noise_s = 0.0003;

/// Normal noise, now and then a call that is much later, and what is added to (call, rank).
Trace made(int ranks, int calls, const std::function<double(int, int)>& added_s,
           unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, noise_s);
  std::bernoulli_distribution spike(0.02);
  Trace trace;
  trace.ranks = ranks;
  trace.region = "gather, root 0, 64 bytes, after region solve";
  for (int i = 0; i < calls; ++i)
    for (int r = 0; r < ranks; ++r)
      trace.computing_s.push_back(usual_s + noise(random) + (spike(random) ? 0.02 : 0.0) +
                                  added_s(i, r));
  trace.arrival_s = trace.computing_s;
  return trace;
}

TEST(Levels, ASlowNodeIsToldForGood) {
  for (const int ranks : {2, 3, 8})
    for (const int calls : {40, 200, 5000}) {
      const int from = calls * 6 / 10;
      const auto changes = level_changes(
          made(ranks, calls, [&](int i, int r) { return r == 1 && i >= from ? 0.003 : 0.0; }));
      ASSERT_EQ(changes.size(), 1u) << ranks << " ranks, " << calls << " calls";
      EXPECT_EQ(changes[0].rank, 1);
      EXPECT_NEAR(changes[0].first_call, from, 2);
      EXPECT_EQ(changes[0].calls, calls - changes[0].first_call);
      EXPECT_NEAR(changes[0].size_s, 0.003, 3 * noise_s);
      EXPECT_TRUE(changes[0].for_good);
    }
}

TEST(Levels, ANeighbourThatLeavesIsToldForAWhile) {
  for (const int calls : {100, 3000}) {
    const int from = calls / 2, to = calls * 3 / 4;
    const auto changes = level_changes(
        made(4, calls, [&](int i, int r) { return r == 2 && i >= from && i < to ? 0.004 : 0.0; }));
    ASSERT_EQ(changes.size(), 1u) << calls << " calls";
    EXPECT_EQ(changes[0].rank, 2);
    EXPECT_NEAR(changes[0].first_call, from, 2);
    EXPECT_NEAR(changes[0].first_call + changes[0].calls, to, 2);
    EXPECT_NEAR(changes[0].size_s, 0.004, 3 * noise_s);
    EXPECT_FALSE(changes[0].for_good);
  }
}

TEST(Levels, TwoWhilesAreTwo) {
  const auto changes = level_changes(made(3, 300, [](int i, int r) {
    return r == 0 && ((i >= 50 && i < 90) || (i >= 200 && i < 240)) ? 0.005 : 0.0;
  }));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_NEAR(changes[0].first_call, 50, 2);
  EXPECT_NEAR(changes[1].first_call, 200, 2);
  EXPECT_FALSE(changes[0].for_good || changes[1].for_good);
}

TEST(Levels, StepsUpAndBackAgainAreForAWhile) {
  const auto changes = level_changes(made(4, 400, [](int i, int r) {
    return r != 0 || i < 100 || i >= 300 ? 0.0 : i < 200 ? 0.004 : 0.008;
  }));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_NEAR(changes[1].first_call, 200, 2);
  EXPECT_NEAR(changes[1].size_s, 0.004, 3 * noise_s);
  EXPECT_FALSE(changes[0].for_good || changes[1].for_good);
}

TEST(Levels, WhatGoesBackAndBeyondIsAChangeToo) {
  const auto changes = level_changes(made(4, 300, [](int i, int r) {
    return r != 0 || i < 100 ? 0.0 : i < 200 ? 0.005 : -0.005;
  }));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_FALSE(changes[0].for_good);
  EXPECT_NEAR(changes[1].size_s, -0.010, 3 * noise_s);
  EXPECT_TRUE(changes[1].for_good);
}

TEST(Levels, ARankThatBecomesFasterIsTold) {
  const auto changes =
      level_changes(made(5, 150, [](int i, int r) { return r == 4 && i < 60 ? 0.006 : 0.0; }));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NEAR(changes[0].first_call, 60, 2);
  EXPECT_NEAR(changes[0].size_s, -0.006, 3 * noise_s);
  EXPECT_TRUE(changes[0].for_good);
}

TEST(Levels, NoiseSpikesAndWhatAllRanksDoAreNoChange) {
  for (unsigned seed = 0; seed < 100; ++seed)
    EXPECT_TRUE(level_changes(made(
                                  8, 160, [](int, int) { return 0.0; }, seed))
                    .empty())
        << seed;
  const auto all = [](int i, int) { return i >= 80 ? 0.02 : 0.0; };
  EXPECT_TRUE(level_changes(made(6, 160, all)).empty());
  const auto always = [](int, int r) { return r == 1 ? 0.05 : 0.0; };
  EXPECT_TRUE(level_changes(made(6, 160, always)).empty());
  const auto in_turn = [](int i, int r) { return i % 6 == r ? 0.01 : 0.0; };
  EXPECT_TRUE(level_changes(made(6, 160, in_turn)).empty());
  const auto little = [](int i, int r) { return r == 1 && i > 80 ? 0.0005 : 0.0; };
  EXPECT_TRUE(level_changes(made(6, 160, little)).empty());
}

TEST(Levels, OfOneRankOrFewCallsNothingIsTold) {
  const auto step = [](int i, int r) { return r == 0 && i >= 8 ? 0.05 : 0.0; };
  EXPECT_TRUE(level_changes(made(1, 100, step)).empty());
  EXPECT_TRUE(level_changes(made(3, 15, step)).empty());
  EXPECT_TRUE(level_changes(made(3, 0, step)).empty());
}

TEST(Levels, ValuesWithoutNoiseHaveLevels) {
  std::vector<double> series(64, 1.0);
  EXPECT_TRUE(level_starts(series).empty());
  for (std::size_t i = 20; i < 40; ++i) series[i] = 2.0;
  EXPECT_EQ(level_starts(series), (std::vector<int>{20, 40}));
}

TEST(Levels, FindingsAndTheHeadlineNameThem) {
  const Trace trace =
      made(4, 120, [](int i, int r) { return r == 3 && i >= 40 && i < 70 ? 0.004 : 0.0; });
  const auto found = findings_of(record_of(trace, "sma:5"));
  ASSERT_EQ(found["level_changes"].size(), 1u);
  const auto& one = found["level_changes"][0];
  EXPECT_EQ(one["rank"], 3);
  EXPECT_EQ(one["place"], trace.region);
  EXPECT_EQ(one["for_good"], false);
  EXPECT_NEAR(one["added_s"].get<double>(),
              one["size_s"].get<double>() * one["calls"].get<double>(), 1e-12);
  std::ostringstream out;
  print_headline(found, out);
  EXPECT_NE(out.str().find("rank 3 slower by "), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("for a while: calls "), std::string::npos) << out.str();
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace pat
