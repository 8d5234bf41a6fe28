// The two trees of broadcasts and reductions: full bandwidth, as everybody sends one segment and
// receives one in each step, whatever the number of processes.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collectives/patterns/power_of_two.hpp"
#include "collectives/patterns/two_tree.hpp"

namespace pat {
namespace {

using Step = TwoTrees::Step;
using Edge = std::pair<int, int>;  // (sender, receiver)

/// All steps of all places, the sends of the one direction or of the other.
std::vector<std::vector<Step>> steps_of(int places, int segments, bool down) {
  const TwoTrees trees(places);
  std::vector<std::vector<Step>> steps;
  for (int place = 0; place < places; ++place)
    steps.push_back(down ? trees.downwards(place, segments) : trees.upwards(place, segments));
  return steps;
}

TEST(TwoTrees, EverybodySendsAndReceivesOnceAStep) {
  for (int places = 1; places <= 140; ++places)
    for (const bool down : {true, false})
      for (const std::vector<Step>& steps : steps_of(places, 9, down)) {
        std::set<std::pair<int, bool>> used;
        for (const Step& step : steps)
          ASSERT_TRUE(used.insert({step.number, step.sends}).second)
              << places << " places, step " << step.number;
      }
}

TEST(TwoTrees, BothEndsOfAMessageUseOneStep) {
  for (int places = 2; places <= 140; ++places)
    for (const bool down : {true, false}) {
      std::map<Edge, std::vector<std::pair<int, int>>> sent, received;
      const auto steps = steps_of(places, 9, down);
      for (int place = 0; place < places; ++place)
        for (const Step& step : steps[place]) {
          if (step.sends)
            sent[{place, step.peer}].emplace_back(step.number, step.segment);
          else
            received[{step.peer, place}].emplace_back(step.number, step.segment);
        }
      ASSERT_EQ(sent, received) << places;
    }
}

TEST(TwoTrees, NobodyHasChildrenInBoth) {
  for (int places = 2; places <= 140; ++places) {
    const auto steps = steps_of(places, 2, true);
    for (int place = 1; place < places; ++place) {
      std::set<int> trees;
      for (const Step& step : steps[place])
        if (step.sends) trees.insert(step.segment % 2);
      ASSERT_LE(trees.size(), 1u) << places << " places: " << place;
    }
  }
}

/// Down: what is passed on was there a step before. Up: it leaves after all that it is made of.
TEST(TwoTrees, ASegmentIsPassedOnAfterItCame) {
  for (int places = 2; places <= 140; ++places)
    for (const bool down : {true, false}) {
      const auto steps = steps_of(places, 5, down);
      for (int place = 1; place < places; ++place) {
        std::map<int, int> came;
        for (const Step& step : steps[place])
          if (!step.sends) came[step.segment] = std::max(came[step.segment], step.number);
        for (const Step& step : steps[place])
          if (step.sends && came.contains(step.segment)) {
            ASSERT_LT(came[step.segment], step.number) << places << " places: " << place;
          }
      }
    }
}

TEST(TwoTrees, TakeTwoLogarithmsMoreStepsThanSegments) {
  for (int places = 2; places <= 1100; ++places)
    ASSERT_LE(TwoTrees(places).steps(8), 8 + 2 * ceil_log2(places) + 1) << places;
}

}  // namespace
}  // namespace pat
