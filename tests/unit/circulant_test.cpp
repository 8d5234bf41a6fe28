// The broadcast on a circulant graph: every block comes to every place, in as few rounds as can be.
// And what the clairvoyant allreduce makes of it.

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "collectives/allreduce/late_one.hpp"
#include "collectives/patterns/circulant.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat {
namespace {

TEST(Circulant, SkipsHalveDownToOne) {
  EXPECT_EQ(circulant_skips(1), std::vector<int>({1}));
  EXPECT_EQ(circulant_skips(2), std::vector<int>({1, 2}));
  EXPECT_EQ(circulant_skips(11), std::vector<int>({1, 2, 3, 6, 11}));
  for (int places = 1; places < 300; ++places)
    EXPECT_EQ(static_cast<int>(circulant_skips(places).size()), ceil_log2(places) + 1);
}

TEST(Circulant, BroadcastBringsEveryBlockOnceInTheLeastRounds) {
  for (int places = 1; places <= 140; ++places)
    for (const int blocks : {1, 2, 3, 4, 7, 8, 20}) {
      const CirculantBroadcast broadcast(places, blocks);
      ASSERT_EQ(broadcast.rounds(), places == 1 ? 0 : blocks - 1 + ceil_log2(places));
      std::vector<std::vector<int>> received;
      std::vector<std::set<int>> has(static_cast<std::size_t>(places));
      for (int place = 0; place < places; ++place) received.push_back(broadcast.received_by(place));
      for (int round = 0; round < broadcast.rounds(); ++round) {
        const std::vector<std::set<int>> before = has;
        for (int place = 0; place < places; ++place) {
          ASSERT_EQ(broadcast.next(broadcast.previous(place, round), round), place);
          const int block = received[place][round];
          if (block < 0) continue;
          const int sender = broadcast.previous(place, round);
          ASSERT_NE(place, 0);
          ASSERT_TRUE(sender == 0 || before[sender].contains(block))
              << places << " places, " << blocks << " blocks, round " << round;
          ASSERT_TRUE(has[place].insert(block).second) << "it has it already";
        }
      }
      for (int place = 1; place < places; ++place)
        ASSERT_EQ(static_cast<int>(has[place].size()), blocks);
    }
}

/// In O(log P) steps, without asking.
TEST(Circulant, APlaceFindsItsPartInLogarithmicallyManySteps) {
  const auto expect_few = [](int places, int place) {
    ASSERT_LT(circulant_steps(places, place), 7 * ceil_log2(places)) << places << ": " << place;
  };
  for (int places = 2; places <= 700; ++places)
    for (int place = 1; place < places; ++place) expect_few(places, place);
  std::mt19937 random(7);
  for (int trial = 0; trial < 100000; ++trial) {
    const int places = 2 + static_cast<int>(random() % ((1U << 30) - 2));
    expect_few(places, 1 + static_cast<int>(random() % static_cast<unsigned>(places - 1)));
  }
}

TEST(LateOne, GivesAllItsVectorAndGetsTheResultThroughOnePort) {
  for (int places = 2; places <= 70; ++places)
    for (const int pieces : {1, 2, 5, 16, 33}) {
      const allreduce::LateOne late(places, pieces);
      std::vector<std::set<int>> has(static_cast<std::size_t>(places)), before;
      std::set<int> sends, receives;
      int round = -1;
      for (const allreduce::Transfer& t : late.transfers()) {
        ASSERT_GE(t.round, round);
        if (t.round > round) before = has, sends.clear(), receives.clear();
        round = t.round;
        ASSERT_TRUE(sends.insert(t.from).second) << places << " places, round " << round;
        ASSERT_TRUE(receives.insert(t.to).second) << places << " places, round " << round;
        // What place 0 sends is its own, and an owner has the rest of it.
        if (t.from == 0) {
          ASSERT_FALSE(has[0].contains(t.part));
          bool owned = false;
          const int position = late.place_of(t.part).first;
          for (std::size_t owner = 0; owner < late.owners().size(); ++owner) {
            if (late.owners()[owner] != t.to) continue;
            for (const auto& range :
                 {late.run_of(static_cast<int>(owner)), late.last_of(static_cast<int>(owner))})
              owned = owned || (position >= range.first && position < range.last);
          }
          ASSERT_TRUE(owned) << "place " << t.to << " cannot finish it";
        } else {
          ASSERT_TRUE(before[t.from].contains(t.part)) << "it sends what it does not have";
        }
        ASSERT_TRUE(has[t.to].insert(t.part).second) << "it has it already";
      }
      for (const std::set<int>& all : has) ASSERT_EQ(static_cast<int>(all.size()), pieces);
      EXPECT_LE(round + 1, pieces + 2 * ceil_log2(places)) << places << " places";
    }
}

}  // namespace
}  // namespace pat
