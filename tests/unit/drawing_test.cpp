// What pat schedule --draw draws.

#include "tools/schedule/drawing.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pat::schedule {
namespace {

Drawing of_clairvoyant(const std::vector<double>& arrival_s, clairvoyant::Order order) {
  Problem problem;
  problem.operation = Operation::reduce;
  problem.ranks = static_cast<int>(arrival_s.size());
  problem.units = 64;
  problem.segments = 8;
  problem.round_s = 1.0;
  const ArrivalPattern pattern{arrival_s, {}, 0};
  clairvoyant::Options options;
  options.order = order;
  clairvoyant::Plan plan = clairvoyant::plan(problem, pattern, options);
  Schedule schedule = clairvoyant::to_schedule(problem, plan.list, plan.instance.segments);
  seal(schedule);
  return drawing_of({problem, pattern, std::move(schedule), std::move(plan)}, {});
}

TEST(Drawing, NobodySendsOrHasReceivedBeforeHeComes) {
  for (const auto order : {clairvoyant::Order::paper, clairvoyant::Order::latest_first}) {
    const Drawing drawing = of_clairvoyant({0.3, 0.5, 1.7, 3.2, 0.9, 5.5, 2.1, 7.4}, order);
    EXPECT_GE(drawing.arrows.size(), 7u * 8u);
    EXPECT_EQ(std::ranges::min(drawing.arrival), 0.0);
    for (const Drawing::Arrow& arrow : drawing.arrows) {
      EXPECT_GE(arrow.begin, drawing.arrival[static_cast<std::size_t>(arrow.sender)]);
      EXPECT_GE(arrow.end, drawing.arrival[static_cast<std::size_t>(arrow.receiver)]);
      EXPECT_LE(arrow.begin, arrow.end);
    }
  }
}

}  // namespace
}  // namespace pat::schedule
