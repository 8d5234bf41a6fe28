// The static reductions of seed 002: their run times are the paper's, wherever the root is.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "collectives/algorithm.hpp"
#include "collectives/cost/simulate.hpp"

namespace pat {
namespace {

/// Run time where a message takes `d` and combining it `c`, which leaves the ports free.
double run_s(const char* name, int ranks, int root, double d, double c) {
  Problem problem;
  problem.operation = Operation::reduce;
  problem.ranks = ranks;
  problem.root = root;
  problem.units = 1;
  problem.commutative = false;
  const auto flat = ArrivalPattern::flat(ranks);
  const Schedule schedule = build_schedule(get_algorithm(Operation::reduce, name), problem, flat);
  return simulate(schedule, flat,
                  {.alpha_s = 0.0, .beta_s_per_byte = d, .gamma_s_per_byte = c, .overlap = true})
      .run_time_s();
}

/// The smallest k with F(k+2) >= ranks.
int fibonacci_order(int ranks) {
  int order = 0;
  for (int f = 1, next = 2; f < ranks; ++order) {
    const int sum = f + next;
    f = next;
    next = sum;
  }
  return order;
}

TEST(RangeTree, BinomialStatTakesARoundForEachBitAtEveryRoot) {
  for (int ranks = 1; ranks <= 70; ++ranks)
    for (const int root : {0, ranks / 3, ranks / 2, ranks - 1})
      for (const double c : {0.0, 0.5, 1.0, 3.0}) {
        const double paper_s = std::ceil(std::log2(ranks)) * (1.0 + c);
        const double took_s = run_s("binomial-stat", ranks, root, 1.0, c);
        SCOPED_TRACE(std::to_string(ranks) + " ranks, root " + std::to_string(root));
        EXPECT_LE(took_s, paper_s + 1e-9);
        if (std::has_single_bit(unsigned(ranks))) {
          EXPECT_NEAR(took_s, paper_s, 1e-9) << "a full tree";
        }
      }
}

TEST(RangeTree, FibonacciStatTakesWhatThePaperSaysAtEveryRoot) {
  // Seed 002 Section 4: d + (k-1) max(d, c) + c for a full tree; a part of it takes no longer.
  for (int ranks = 2; ranks <= 144; ++ranks)
    for (const int root : {0, ranks / 3, ranks / 2, ranks - 1})
      for (const double c : {0.0, 0.5, 1.0, 3.0}) {
        const int order = fibonacci_order(ranks);
        const double paper_s = 1.0 + (order - 1) * std::max(1.0, c) + c;
        const double took_s = run_s("fibonacci-stat", ranks, root, 1.0, c);
        SCOPED_TRACE(std::to_string(ranks) + " ranks, root " + std::to_string(root));
        EXPECT_LE(took_s, paper_s + 1e-9);
        if (fibonacci_order(ranks + 1) > order) {
          EXPECT_NEAR(took_s, paper_s, 1e-9) << "a full tree";
        }
      }
}

TEST(RangeTree, FibonacciPaysFromHalfTheCommunicationOn) {
  // 64 ranks: 6 (d + c) against d + 8 max(d, c) + c; they cross at c = 3 d / 5.
  EXPECT_LT(run_s("binomial-stat", 64, 0, 1.0, 0.55), run_s("fibonacci-stat", 64, 0, 1.0, 0.55));
  EXPECT_GT(run_s("binomial-stat", 64, 0, 1.0, 0.65), run_s("fibonacci-stat", 64, 0, 1.0, 0.65));
  EXPECT_GT(run_s("binomial-stat", 64, 0, 1.0, 1.6), run_s("fibonacci-stat", 64, 0, 1.0, 1.6));
}

}  // namespace
}  // namespace pat
