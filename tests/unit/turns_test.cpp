// Who is granted out of turn at the root of a paced star: the bookkeeping alone, without MPI.

#include "libpat/execution/turns.hpp"

#include <gtest/gtest.h>

namespace pat::detail {
namespace {

/// Leaves 1, 2, 3 in this order; go-ahead of leaf k is operation 2k - 2, its data operation 2k - 1.
Program star() {
  Program program;
  for (int leaf = 1; leaf <= 3; ++leaf)
    program.turns.push_back(
        {leaf, static_cast<OpId>(2 * leaf - 2), static_cast<OpId>(2 * leaf - 1)});
  return program;
}

constexpr OpId go_ahead(int leaf) {
  return static_cast<OpId>(2 * leaf - 2);
}
constexpr OpId data(int leaf) {
  return static_cast<OpId>(2 * leaf - 1);
}

TEST(Turns, WhoHasComeIsServedWhileTheGrantedAreLate) {
  const Program program = star();
  Turns turns(program);
  EXPECT_FALSE(turns.grant_again(go_ahead(1)));  // ahead of time
  EXPECT_FALSE(turns.out_of_turn_now());         // nobody has come
  turns.come(3);
  EXPECT_EQ(turns.out_of_turn_now(), go_ahead(3));
  EXPECT_FALSE(turns.grant_again(go_ahead(3)));
  turns.come(2);
  EXPECT_FALSE(turns.out_of_turn_now());  // 3 uses the port
  turns.ended(data(3));
  EXPECT_EQ(turns.out_of_turn_now(), go_ahead(2));
  EXPECT_FALSE(turns.grant_again(go_ahead(2)));
  EXPECT_TRUE(turns.grant_again(go_ahead(3)));  // the plan comes to it later: nothing to do
  EXPECT_EQ(turns.out_of_turn(), 2u);
}

TEST(Turns, TheFirstInThePlanGoesFirst) {
  const Program program = star();
  Turns turns(program);
  turns.come(3);
  turns.come(1);
  EXPECT_EQ(turns.out_of_turn_now(), go_ahead(1));
}

TEST(Turns, AsPlannedNobodyIsServedOutOfTurn) {
  const Program program = star();
  Turns turns(program);
  turns.grant_again(go_ahead(1));
  turns.come(1);
  turns.come(2);
  EXPECT_FALSE(turns.out_of_turn_now());
  turns.grant_again(go_ahead(2));
  turns.ended(data(1));
  turns.come(3);
  EXPECT_FALSE(turns.out_of_turn_now());  // 2 uses the port
}

TEST(Turns, AsManyAreServedAtOnceAsKeepThePortBusy) {
  Program program = star();
  program.senders_at_once = 2;
  Turns turns(program);
  turns.come(1);
  turns.come(2);
  turns.come(3);
  for (const int leaf : {1, 2}) {
    ASSERT_EQ(turns.out_of_turn_now(), go_ahead(leaf));
    EXPECT_FALSE(turns.grant_again(go_ahead(leaf)));
  }
  EXPECT_FALSE(turns.out_of_turn_now());
  turns.ended(data(1));
  EXPECT_EQ(turns.out_of_turn_now(), go_ahead(3));
}

TEST(Turns, WhoSendsBesideHoldsNobodyUp) {
  Program program = star();
  program.turns[0].beside = true;
  Turns turns(program);
  turns.grant_again(go_ahead(1));
  turns.come(1);
  turns.come(2);
  EXPECT_EQ(turns.out_of_turn_now(), go_ahead(2));
  turns.grant_again(go_ahead(2));
  turns.come(3);
  EXPECT_FALSE(turns.out_of_turn_now());
  turns.ended(data(1));  // of whom none was counted
  EXPECT_FALSE(turns.out_of_turn_now());
  turns.ended(data(2));
  EXPECT_EQ(turns.out_of_turn_now(), go_ahead(3));
}

TEST(Turns, BlocksTakeFromWhenTheirLeafHasComeAndMaySend) {
  const Program program = star();
  Turns turns(program);
  turns.grant_again(go_ahead(1), 100);
  turns.come(1, 300);
  turns.come(2, 400);
  turns.grant_again(go_ahead(2), 500);
  turns.ended(data(1), 1300);
  turns.ended(data(2), 2500);
  turns.grant_again(go_ahead(3), 2500);
  turns.ended(data(3), 9000);  // when it came nobody knows yet
  turns.come(3, 9100);
  const auto took = turns.took();
  ASSERT_EQ(took.size(), 2u);
  EXPECT_EQ(took[0].peer, 1);
  EXPECT_EQ(took[0].delivered, data(1));
  EXPECT_EQ(took[0].took_ns, 1000);
  EXPECT_EQ(took[1].took_ns, 2000);
}

TEST(Turns, DataMayOvertakeTheWordThatItsSenderHasCome) {
  const Program program = star();
  Turns turns(program);
  turns.grant_again(go_ahead(1));
  turns.ended(data(1));
  turns.come(1);
  turns.come(2);
  EXPECT_EQ(turns.out_of_turn_now(), go_ahead(2));
}

}  // namespace
}  // namespace pat::detail
