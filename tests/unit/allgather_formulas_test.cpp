// The cost formulas of the allgathers against simulate() under Hockney's model, what bounds them,
// and what they stand for.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "collectives/algorithm.hpp"
#include "collectives/cost/bound.hpp"
#include "collectives/cost/select.hpp"
#include "collectives/cost/simulate.hpp"

namespace pat {
namespace {

constexpr CostModel model{.alpha_s = 25e-6, .beta_s_per_byte = 8e-9};
constexpr double alpha = 25e-6, beta = 8e-9;
constexpr double tolerance = 1e-12;  // seconds; the terms are milliseconds

Problem allgather_of(int ranks, std::size_t block) {
  Problem problem;
  problem.operation = Operation::allgather;
  problem.ranks = ranks;
  problem.units = block;
  return problem;
}

double run_s(const char* algorithm, const Problem& problem, const ArrivalPattern& pattern) {
  const Algorithm& chosen = get_algorithm(Operation::allgather, algorithm);
  return simulate(build_schedule(chosen, problem, pattern), pattern, model).run_time_s();
}

double flat_s(const char* algorithm, const Problem& problem) {
  return run_s(algorithm, problem, ArrivalPattern::flat(problem.ranks));
}

/// use(P, n, the transfer time of P - 1 blocks).
template <class Use>
void for_each_setting(Use use) {
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 12, 16, 31, 48})
    for (const std::size_t block : {std::size_t{8}, std::size_t{5000}, std::size_t{174762}}) {
      SCOPED_TRACE("P=" + std::to_string(ranks) + " n=" + std::to_string(block));
      use(ranks, block, (ranks - 1) * static_cast<double>(block) * beta);
    }
}

TEST(AllgatherFormulas, RingInSegments) {
  for_each_setting([](int ranks, std::size_t block, double moved_s) {
    Problem problem = allgather_of(ranks, block);
    EXPECT_NEAR(flat_s("ring", problem), (ranks - 1) * alpha + moved_s, tolerance);
    for (const int segments : {1, 2, 7}) {
      problem.segments = segments;
      EXPECT_NEAR(flat_s("ring", problem), (ranks - 1) * segments * alpha + moved_s, tolerance);
    }
  });
}

TEST(AllgatherFormulas, RingInSegmentsWhereOneRankHasAll) {
  for (const int ranks : {2, 3, 8, 13})
    for (const int segments : {1, 2, 8, 64}) {
      Problem problem = allgather_of(ranks, 0);
      problem.counts.assign(static_cast<std::size_t>(ranks), 0);
      problem.counts[1] = 640000;
      problem.segments = segments;
      EXPECT_NEAR(flat_s("ring", problem),
                  (ranks - 2 + segments) * (alpha + 640000.0 / segments * beta), tolerance)
          << "P=" << ranks << " N=" << segments;
    }
}

TEST(AllgatherFormulas, Bruck) {
  for_each_setting([](int ranks, std::size_t block, double moved_s) {
    EXPECT_NEAR(flat_s("bruck", allgather_of(ranks, block)),
                std::ceil(std::log2(ranks)) * alpha + moved_s, tolerance);
  });
}

TEST(AllgatherFormulas, RecursiveDoubling) {
  for_each_setting([](int ranks, std::size_t block, double moved_s) {
    const double time_s = flat_s("recursive-doubling", allgather_of(ranks, block));
    const auto whole = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
    if (whole == ranks)
      EXPECT_NEAR(time_s, std::log2(ranks) * alpha + moved_s, tolerance);
    else
      EXPECT_LE(time_s, (std::log2(whole) + 3) * alpha +
                            (ranks + 2 * whole - 2) * static_cast<double>(block) * beta +
                            tolerance);
  });
}

TEST(AllgatherFormulas, NeighbourExchange) {
  for_each_setting([](int ranks, std::size_t block, double moved_s) {
    const double rounds = ranks % 2 == 0 ? ranks / 2 : ranks - 1;
    EXPECT_NEAR(flat_s("neighbour-exchange", allgather_of(ranks, block)), rounds * alpha + moved_s,
                tolerance);
  });
}

/// With equal arrivals, and what is left of it where one rank comes late.
TEST(AllgatherBound, IsReached) {
  for_each_setting([](int ranks, std::size_t block, double moved_s) {
    const Problem problem = allgather_of(ranks, block);
    const ArrivalPattern flat = ArrivalPattern::flat(ranks);
    const double doublings = std::ceil(std::log2(ranks));
    EXPECT_NEAR(lower_bound_s(problem, flat, model), std::max(doublings * alpha, alpha + moved_s),
                tolerance);
    // Without start-up times each of these keeps every incoming port busy.
    const CostModel free{.alpha_s = 0.0, .beta_s_per_byte = beta};
    for (const char* algorithm : {"ring", "bruck", "neighbour-exchange"}) {
      const Schedule schedule =
          build_schedule(get_algorithm(Operation::allgather, algorithm), problem, flat);
      EXPECT_NEAR(simulate(schedule, flat, free).run_time_s(), lower_bound_s(problem, flat, free),
                  tolerance)
          << algorithm;
    }
    // One late rank: its block must still come to the others, theirs to it if they wait for it.
    ArrivalPattern late = flat;
    late.offset_s[static_cast<std::size_t>(ranks / 2)] = 1.0;
    const double own_s = static_cast<double>(block) * beta;
    EXPECT_NEAR(lower_bound_s(problem, late, model),
                1.0 + std::max(doublings * alpha, alpha + own_s), tolerance);
    EXPECT_NEAR(lower_bound_s(problem, late, model, Reach::foreground),
                1.0 + std::max(doublings * alpha, alpha + moved_s), tolerance);
  });
}

TEST(AllgatherStandIn, IsWhatOpenMpiWouldTake) {
  const auto taken = [](int ranks, std::size_t block, bool varying = false) {
    Problem problem = allgather_of(ranks, block);
    if (varying) problem.counts.assign(static_cast<std::size_t>(ranks), block);
    return price_mpi(problem, model).stand_in->name;
  };
  EXPECT_EQ(taken(1, 100), "recursive-doubling");
  EXPECT_EQ(taken(16, 1 << 20), "recursive-doubling");
  EXPECT_EQ(taken(11, 1 << 20), "bruck");
  EXPECT_EQ(taken(48, 100), "bruck");
  EXPECT_EQ(taken(48, 10000), "neighbour-exchange");
  EXPECT_EQ(taken(48, 100000), "ring");
  EXPECT_EQ(taken(512, 100000), "neighbour-exchange");
  EXPECT_EQ(taken(16, 100000, true), "bruck");
  EXPECT_EQ(taken(48, 100000, true), "ring");
  EXPECT_EQ(taken(48, 100, true), "bruck");
}

}  // namespace
}  // namespace pat
