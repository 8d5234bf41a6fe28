// The way of reports to the leader where there are very many processes.

#include "libpat/agreement/report_tree.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace pat::detail {
namespace {

TEST(ReportTree, EveryReportReachesTheLeaderInFewSteps) {
  for (const int ranks : {2, 3, 8, 16, 257, 4096})
    for (const int leader : {0, 1, ranks - 1})
      for (const int fan : {2, 16}) {
        const ReportTree tree{ranks, leader, fan};
        std::vector<int> children(static_cast<std::size_t>(ranks));
        for (int rank = 0; rank < ranks; ++rank) {
          if (rank != leader) ++children[static_cast<std::size_t>(tree.parent(rank))];
          int steps = 0;
          for (int at = rank; at != leader && steps < 20; at = tree.parent(at)) ++steps;
          EXPECT_LT(steps, fan == 2 ? 13 : 5) << ranks << " " << leader << " " << rank;
        }
        for (const int count : children) EXPECT_LE(count, fan);
      }
}

TEST(ReportTree, CountsWhoIsBelow) {
  for (const int ranks : {2, 7, 16, 300})
    for (const int leader : {0, 5 % ranks}) {
      const ReportTree tree{ranks, leader, 3};
      std::vector<int> counted(static_cast<std::size_t>(ranks));
      for (int rank = 0; rank < ranks; ++rank)
        for (int at = rank;; at = tree.parent(at)) {
          ++counted[static_cast<std::size_t>(at)];
          if (at == leader) break;
        }
      for (int rank = 0; rank < ranks; ++rank)
        EXPECT_EQ(tree.below(rank), counted[static_cast<std::size_t>(rank)])
            << ranks << " " << leader << " " << rank;
    }
}

TEST(HeldReports, KeepsTheLatestOfEachAndGoesWhenAllAreThere) {
  HeldReports held;
  EXPECT_FALSE(held.due_ns(2, 50));
  Report report;
  report.call = 5;
  held.put(3, report, 100);
  EXPECT_EQ(held.due_ns(2, 50), 150);
  report.call = 4;
  held.put(3, report, 110);
  report.call = 6;
  held.put(3, report, 120);
  EXPECT_EQ(held.due_ns(2, 50), 150);
  held.put(7, report, 130);
  EXPECT_EQ(held.due_ns(2, 50), 100);
  const auto taken = held.take();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].from, 3);
  EXPECT_EQ(taken[0].report.call, 6u);
  EXPECT_EQ(taken[1].from, 7);
  EXPECT_FALSE(held.due_ns(2, 50));
}

}  // namespace
}  // namespace pat::detail
