// Whose link is slow: the bookkeeping alone, without messages.

#include "libpat/execution/slow_links.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "collectives/algorithm.hpp"
#include "collectives/check/hazards.hpp"
#include "collectives/check/verify.hpp"
#include "collectives/cost/simulate.hpp"
#include "libpat/mpi/quick_calibration.hpp"

namespace pat::detail {
namespace {

/// Leaves 1 to 5 send a block each; rank 3 takes so many times as long.
std::vector<BlockTime> call(double times, std::size_t bytes = 100'000) {
  std::vector<BlockTime> all;
  for (int rank = 1; rank <= 5; ++rank)
    all.push_back({rank, bytes, (rank == 3 ? times : 1.0) * 1e-8 * static_cast<double>(bytes)});
  return all;
}

TEST(SlowLinks, AreThoseWhoseBlocksTakeLongAgainAndAgain) {
  SlowLinks links;
  for (int i = 0; i < SlowLinks::calls; ++i) {
    EXPECT_TRUE(links.slow().empty());
    links.note(call(10.0));
  }
  EXPECT_EQ(links.slow(), (std::vector<bool>{false, false, false, true, false, false}));
  links.note(call(3.0));  // between the two ratios it stays as it is
  links.note(call(1.0));
  links.note(call(1.0));
  EXPECT_FALSE(links.slow().empty());
  links.note(call(1.0));
  EXPECT_TRUE(links.slow().empty());
}

/// As measured of 1 MiB over 1 Gbit/s: most share the root's port with the next one.
TEST(SlowLinks, AreSeenAndStaySoWhereBlocksSharePorts) {
  const auto measured = [](double first, double second, double fourth, double fifth) {
    std::vector<BlockTime> all;
    for (const double took_ms : {first, second, 89.6, fourth, fifth})
      all.push_back({static_cast<int>(all.size()) + 1, 1 << 20, 1e-3 * took_ms});
    return all;
  };
  SlowLinks links;
  for (int i = 0; i < SlowLinks::calls; ++i) links.note(measured(25.6, 28.6, 15.0, 12.3));
  const std::vector<bool> third{false, false, false, true, false, false};
  EXPECT_EQ(links.slow(), third);
  for (int i = 0; i < 10; ++i) links.note(measured(30.0, 30.0, 26.0, 25.0));  // it sends beside
  EXPECT_EQ(links.slow(), third);
}

TEST(SlowLinks, OneLongBlockMakesNone) {
  SlowLinks links;
  for (int i = 0; i < 10; ++i) {
    links.note(call(10.0));
    links.note(call(10.0));
    links.note(call(1.0));
    EXPECT_TRUE(links.slow().empty());
  }
}

TEST(SlowLinks, ShortBlocksAndFewLeavesTellNothing) {
  SlowLinks links;
  for (int i = 0; i < 10; ++i) {
    links.note(call(10.0, 1000));  // 0.1 ms
    links.note({{1, 100'000, 1e-3}, {2, 100'000, 1e-2}});
    links.note({});
    links.note({{1, 0, 1e-3}, {2, 0, 1e-3}, {3, 0, 1e-2}});
  }
  EXPECT_TRUE(links.slow().empty());
}

double run_time_s(Operation operation, const char* algorithm, const std::vector<double>& known,
                  const ArrivalPattern& arrivals) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = 8;
  problem.units = 16;
  problem.unit_bytes = 1 << 16;
  problem.link_slowdown = known;
  const Schedule schedule = build_schedule(get_algorithm(operation, algorithm), problem, arrivals);
  EXPECT_TRUE(verify(schedule));
  EXPECT_TRUE(hazards(schedule));
  CostModel model;
  model.link_slowdown.assign(8, 1.0);
  model.link_slowdown[5] = 10.0;
  return simulate(schedule, arrivals, model).run_time_s();
}

TEST(SlowLinks, AreServedBesideTheOthers) {
  const std::vector<double> known = {1, 1, 1, 1, 1, 10, 1, 1};
  const double block_s = 8.4e-3;  // 1 MiB over 1 Gbit/s
  const std::pair<Operation, const char*> stars[] = {
      {Operation::gather, "ls"},   {Operation::gather, "sls"},   {Operation::gather, "bsls"},
      {Operation::scatter, "lin"}, {Operation::scatter, "slin"}, {Operation::scatter, "bslin"}};
  for (const auto& [operation, algorithm] : stars)
    for (const double last_s : {0.0, 50e-3}) {
      ArrivalPattern arrivals = ArrivalPattern::flat(8);
      arrivals.offset_s[7] = last_s;
      const double without_s = run_time_s(operation, algorithm, {}, arrivals),
                   with_s = run_time_s(operation, algorithm, known, arrivals);
      EXPECT_LT(with_s, without_s - block_s) << algorithm;
      // Its own link takes ten blocks; the simulator may put two others before it at the port.
      EXPECT_LT(with_s, 12.5 * block_s) << algorithm;
    }
}

TEST(SlowLinks, AreNotWhatMessagesUsuallyCost) {
  const double usual = 8e-9;
  const auto beta = [&](double measured, const std::vector<double>& slowdown) {
    Calibration calibration;
    calibration.messages = {{65536, {50e-6, measured, 0.0}}};
    take_in_links(slowdown, calibration);
    EXPECT_EQ(calibration.link_slowdown, slowdown);
    return calibration.messages.front().cost.beta_s_per_byte;
  };
  // Rank 0 measures with rank 1 and with the last one.
  EXPECT_DOUBLE_EQ(beta(10 * usual, {1, 10, 1, 1}), usual);
  EXPECT_DOUBLE_EQ(beta(10 * usual, {1, 1, 1, 10}), usual);
  EXPECT_DOUBLE_EQ(beta(10 * usual, {10, 1, 1, 1}), usual);
  EXPECT_DOUBLE_EQ(beta(usual, {1, 1, 10, 1}), usual);
  EXPECT_DOUBLE_EQ(beta(usual, {}), usual);
}

}  // namespace
}  // namespace pat::detail
