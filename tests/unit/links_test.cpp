#include "collectives/links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collectives/algorithm.hpp"
#include "collectives/check/hazards.hpp"
#include "collectives/check/verify.hpp"
#include "collectives/cost/select.hpp"
#include "collectives/cost/simulate.hpp"

namespace pat {
namespace {

TEST(LinkPartner, IsMutualAndEachHasBothItsNeighbours) {
  for (int count = 4; count <= 33; ++count)
    for (int own = 0; own < count; ++own) {
      std::set<int> met;
      for (int round = 0; round < link_rounds; ++round) {
        const int partner = link_partner(own, round, count);
        if (partner < 0) continue;
        EXPECT_EQ(link_partner(partner, round, count), own) << own << " of " << count;
        met.insert(partner);
      }
      EXPECT_EQ(met, (std::set<int>{(own + 1) % count, (own + count - 1) % count}));
    }
}

TEST(LinkMessage, IsNoLongerThanWhatWasMeasured) {
  const LinkCost gigabit{50e-6, 8e-9, 0.0}, ten{20e-6, 1e-9, 0.0}, fast{5e-6, 1e-10, 0.0};
  constexpr std::size_t kib = 1 << 10, all = std::size_t{1} << 22;
  EXPECT_EQ(link_message_bytes(gigabit, all), 64 * kib);
  EXPECT_EQ(link_message_bytes(ten, all), 500'000U);
  EXPECT_EQ(link_message_bytes(ten, 256 * kib), 256 * kib);
  EXPECT_EQ(link_message_bytes(fast, all), 1024 * kib);
  for (const LinkCost& known_by_short_ones : {fast, LinkCost{50e-6, 0.0, 0.0}})
    EXPECT_EQ(link_message_bytes(known_by_short_ones, 4096),
              64 * kib);  // whatever these seem to say
}

constexpr double alpha_s = 50e-6, usual_s = 0.6e-3;

/// What a ring of `count` measures if the links of `slow` take ten times as long.
std::vector<LinkTime> measured(int count, const std::set<int>& slow, double noise = 0.0) {
  std::vector<LinkTime> times;
  for (int own = 0; own < count; ++own)
    for (int round = 0; round < link_rounds; ++round) {
      const int partner = link_partner(own, round, count);
      if (partner < 0) continue;
      const bool is_slow = slow.contains(own) || slow.contains(partner);
      const double chance = 1.0 + noise * ((own * 7 + round * 3) % 5);
      times.push_back(
          {own, partner, alpha_s + (usual_s - alpha_s) * (is_slow ? 10.0 : 1.0) * chance});
    }
  return times;
}

TEST(LinkSlowdown, IsThatOfTheFasterOfTwoMessages) {
  for (const int count : {4, 5, 7, 8, 48})
    for (const int slow : {0, 1, count - 1}) {
      const auto found = link_slowdown(count, measured(count, {slow}), alpha_s);
      ASSERT_EQ(found.size(), static_cast<std::size_t>(count));
      for (int rank = 0; rank < count; ++rank)
        EXPECT_NEAR(found[rank], rank == slow ? 10.0 : 1.0, 1e-9) << rank << " of " << count;
    }
}

TEST(LinkSlowdown, TakesChanceForNothing) {
  EXPECT_TRUE(link_slowdown(8, measured(8, {}), alpha_s).empty());
  EXPECT_TRUE(link_slowdown(8, measured(8, {}, 0.2), alpha_s).empty());
  EXPECT_TRUE(link_slowdown(3, {{0, 1, 1.0}, {1, 2, 1e-3}, {2, 0, 1e-3}}, alpha_s).empty());
  auto times = measured(8, {});
  times[5].time_s *= 40;  // one message was held up
  EXPECT_TRUE(link_slowdown(8, times, alpha_s).empty());
  for (LinkTime& one : times) one.time_s *= 1e-3;  // ten times nearly nothing
  EXPECT_TRUE(link_slowdown(8, times, 0.0).empty());
}

Problem problem_of(Operation operation, int ranks, std::vector<double> slowdown) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.units = 1 << 17;
  problem.unit_bytes = 8;
  problem.link_slowdown = std::move(slowdown);
  return problem;
}

double run_time_s(const char* algorithm, const Problem& told, int slow, double factor,
                  const ArrivalPattern& arrivals) {
  const Schedule schedule =
      build_schedule(get_algorithm(told.operation, algorithm), told, arrivals);
  CostModel model;
  model.link_slowdown.assign(static_cast<std::size_t>(told.ranks), 1.0);
  model.link_slowdown[static_cast<std::size_t>(slow)] = factor;
  return simulate(schedule, arrivals, model).run_time_s();
}

std::vector<double> all_but(int ranks, int slow, double factor) {
  std::vector<double> slowdown(static_cast<std::size_t>(ranks), 1.0);
  slowdown[static_cast<std::size_t>(slow)] = factor;
  return slowdown;
}

/// All within 2 ms, each at another time.
ArrivalPattern nearly_together(int ranks) {
  ArrivalPattern arrivals = ArrivalPattern::flat(ranks);
  for (int rank = 0; rank < ranks; ++rank)
    arrivals.offset_s[static_cast<std::size_t>(rank)] = 2e-3 * (rank * 5 % ranks) / ranks;
  return arrivals;
}

TEST(SlowLink, LeavesEveryScheduleRight) {
  for (const Algorithm& one : algorithms()) {
    if (!one.uses_pattern || one.build == nullptr) continue;
    for (const int slow : {0, 3, 6}) {
      Problem problem = problem_of(one.operation, 7, all_but(7, slow, 10.0));
      problem.units = 70;
      const Schedule schedule = build_schedule(one, problem, nearly_together(7));
      EXPECT_TRUE(verify(schedule)) << one.name;
      EXPECT_TRUE(hazards(schedule)) << one.name;
    }
  }
}

TEST(SlowLink, IsTheLastLeafOfAReductionWhoeverHasIt) {
  constexpr double factor = 10.0;
  const double own_s = factor * (1 << 20) * link_defaults::beta_s_per_byte;  // no way is faster
  for (const int ranks : {8, 16})
    for (const ArrivalPattern& arrivals : {ArrivalPattern::flat(ranks), nearly_together(ranks)})
      for (int slow = 1; slow < ranks; ++slow) {
        const Problem told = problem_of(Operation::reduce, ranks, all_but(ranks, slow, factor));
        EXPECT_LT(run_time_s("clairvoyant", told, slow, factor, arrivals), 1.08 * own_s)
            << slow << " of " << ranks;
      }
}

TEST(SlowLink, IsPassedOnceInAnAllreduceThatFollowsArrivals) {
  constexpr double factor = 10.0;
  for (const char* algorithm : {"slt", "clairvoyant-allreduce", "straggler"})
    for (const int slow : {1, 3, 6}) {
      const Problem told = problem_of(Operation::allreduce, 8, all_but(8, slow, factor)),
                    untold = problem_of(Operation::allreduce, 8, {});
      const ArrivalPattern arrivals = nearly_together(8);
      const double with_s = run_time_s(algorithm, told, slow, factor, arrivals),
                   without_s = run_time_s(algorithm, untold, slow, factor, arrivals);
      EXPECT_LE(with_s, without_s * 1.001) << algorithm << " " << slow;
      // A ring sends and receives most of the vector over it, one after the other.
      EXPECT_LT(with_s, 0.8 * run_time_s("ring", untold, slow, factor, arrivals)) << algorithm;
    }
}

TEST(SlowLink, ThatIsLateIsServedWhenItComes) {
  ArrivalPattern arrivals = ArrivalPattern::flat(8);
  arrivals.offset_s[2] = 0.1;
  arrivals.offset_s[5] = 0.3;
  const Problem told = problem_of(Operation::reduce, 8, all_but(8, 5, 10.0));
  EXPECT_EQ(behind_slow_links(told, arrivals).offset_s, arrivals.offset_s);
  // Nobody waits behind it for who comes much later.
  const Problem other = problem_of(Operation::reduce, 8, all_but(8, 6, 10.0));
  EXPECT_NEAR(behind_slow_links(other, arrivals).offset_s[6], 0.0, 2e-6);
}

TEST(SlowLink, ChangesWhatIsChosen) {
  constexpr int slow = 3;
  const std::vector<double> slowdown = all_but(8, slow, 10.0);
  const auto time_s = [&](const char* algorithm, const std::vector<double>& known) {
    return run_time_s(algorithm, problem_of(Operation::allreduce, 8, known), slow, 10.0,
                      ArrivalPattern::flat(8));
  };
  const auto chosen = [&](const std::vector<double>& known) {
    const Problem problem = problem_of(Operation::allreduce, 8, known);
    CostModel model;
    model.link_slowdown = known;
    return select(problem, ArrivalPattern::flat(8), model,
                  price_mpi(problem, model, time_s("ring", {})), candidates_for(problem));
  };
  const Selection told = chosen(slowdown), untold = chosen({});
  ASSERT_NE(told.algorithm->build, nullptr) << told.reason;
  ASSERT_NE(untold.algorithm->build, nullptr) << untold.reason;
  EXPECT_LT(time_s(told.algorithm->name.c_str(), slowdown),
            0.75 * time_s(untold.algorithm->name.c_str(), {}))
      << told.reason << "; " << untold.reason;
}

}  // namespace
}  // namespace pat
