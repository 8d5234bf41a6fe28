#include "libpat/agreement/inferred_progress.hpp"

#include <gtest/gtest.h>

namespace pat::detail {
namespace {

Waypoints points(std::initializer_list<Waypoint> list) {
  Waypoints made;
  for (const Waypoint& one : list) made.add(one);
  return made;
}

TEST(InferredProgress, SaysNothingBeforeItHasSeenPhases) {
  InferredProgress progress;
  EXPECT_FALSE(progress.share(0, {0.5, 0}, 0.0));
  progress.learn(points({{0.5, 0}}), {1.0, 0});
  EXPECT_FALSE(progress.share(0, {0.5, 0}, 0.0));
  progress.learn(points({{0.5, 0}}), {1.0, 0});
  EXPECT_DOUBLE_EQ(*progress.share(0, {7.0, 0}, 0.0), 0.5);
}

TEST(InferredProgress, FollowsTheLastPhases) {
  InferredProgress progress;
  for (int i = 0; i < 20; ++i) progress.learn(points({{0.2, 0}}), {1.0, 0});
  for (int i = 0; i < 20; ++i) progress.learn(points({{0.6, 0}}), {1.0, 0});
  EXPECT_NEAR(*progress.share(0, {1.0, 0}, 0.0), 0.6, 0.01);
}

TEST(InferredProgress, TellsNoMoreThanIsWorthAForecast) {
  InferredProgress progress;
  Waypoints many;
  for (int i = 1; i < 1000; ++i) many.add({i * 0.001, 0});
  for (int i = 0; i < 3; ++i) progress.learn(many, {0.064, 0});
  double told = 0.0;
  int times = 0;
  for (std::size_t n = 0; n < 1000; ++n)
    if (const auto share = progress.share(n, {0.0, 0}, told)) {
      EXPECT_GE(*share, told + InferredProgress::step);
      EXPECT_LT(*share, 1.0);
      told = *share;
      ++times;
    }
  EXPECT_EQ(times, 4);
}

TEST(InferredProgress, GoesByInstructionsWhereTheyAreCounted) {
  InferredProgress progress;
  for (int i = 0; i < 3; ++i) progress.learn(points({{0.9, 250}}), {1.0, 1000});
  EXPECT_DOUBLE_EQ(*progress.share(0, {0.1, 500}, 0.0), 0.5);
  EXPECT_DOUBLE_EQ(*progress.share(0, {0.1, 0}, 0.0), 0.9);  // not counted in this phase
  EXPECT_FALSE(progress.share(0, {0.1, 1500}, 0.0));         // more than any phase took
}

TEST(InferredProgress, TakesNoPhaseWithoutComputing) {
  InferredProgress progress;
  for (int i = 0; i < 3; ++i) progress.learn(points({{0.0, 0}}), {0.0, 0});
  EXPECT_FALSE(progress.share(0, {0.0, 0}, 0.0));
}

}  // namespace
}  // namespace pat::detail
