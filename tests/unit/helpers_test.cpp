// The strategies of seed 004 Section 5.3, once all but the last process have reduced: one message
// (clairvoyant with one segment), two halves (two segments), and the other processes as helpers.

#include <gtest/gtest.h>

#include <cmath>

#include "collectives/algorithm.hpp"
#include "collectives/cost/simulate.hpp"

namespace pat {
namespace {

constexpr double alpha = 1e-6, beta = 1e-9;

/// Run time from the arrival of the last process on, long after that of the others.
double late_s(int ranks, int root, int last, std::size_t units, double gamma) {
  Problem problem;
  problem.operation = Operation::reduce;
  problem.ranks = ranks;
  problem.root = root;
  problem.units = units;
  ArrivalPattern pattern = ArrivalPattern::flat(ranks);
  pattern.offset_s[static_cast<std::size_t>(last)] = 1e4;
  const Schedule schedule =
      build_schedule(get_algorithm(Operation::reduce, "helpers"), problem, pattern);
  return simulate(schedule, pattern,
                  {.alpha_s = alpha, .beta_s_per_byte = beta, .gamma_s_per_byte = gamma})
             .run_time_s() -
         1e4;
}

double paper_s(int ranks, double bytes, double gamma) {
  return 2 * std::log2(ranks) * alpha + 2 * (ranks - 1.0) / ranks * bytes * beta +
         bytes * gamma / ranks;
}

TEST(Helpers, TakeWhatThePaperSaysWhoeverIsLate) {
  for (const int ranks : {2, 4, 8, 16, 64})
    for (const int root : {0, ranks / 2, ranks - 1})
      for (const int last : {0, ranks / 3, ranks - 1})
        for (const double gamma : {0.0, 1e-9, 8e-9}) {
          const std::size_t units = 1 << 20;
          EXPECT_NEAR(late_s(ranks, root, last, units, gamma) / paper_s(ranks, 1 << 20, gamma), 1.0,
                      1e-6)
              << ranks << " ranks, root " << root << ", late " << last << ", gamma " << gamma;
        }
}

TEST(Helpers, CrossTheTwoHalvesWhereTheFormulaSays) {
  // 2 alpha + m beta + m gamma / 2 against the above: m = 2 alpha (log2 P - 1) / ((1/2 - 1/P)
  // (gamma - 2 beta)), and nowhere if gamma is at most 2 beta.
  const auto halves_s = [](double bytes, double gamma) {
    return 2 * alpha + bytes * beta + bytes * gamma / 2;
  };
  const int ranks = 64;
  const double gamma = 4 * beta;
  const double at = 2 * alpha * 5 / ((0.5 - 1.0 / ranks) * (gamma - 2 * beta));
  const auto below = static_cast<std::size_t>(0.9 * at), above = static_cast<std::size_t>(1.1 * at);
  EXPECT_GT(late_s(ranks, 0, 63, below, gamma), halves_s(double(below), gamma));
  EXPECT_LT(late_s(ranks, 0, 63, above, gamma), halves_s(double(above), gamma));
  for (std::size_t units = 64; units < (std::size_t{1} << 32); units *= 8)
    EXPECT_GT(late_s(ranks, 0, 63, units, 1.99 * beta), halves_s(double(units), 1.99 * beta));
}

}  // namespace
}  // namespace pat
