// What algorithms choose by their cost formulas, against a scan of what they could have chosen.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/simulate.hpp"

namespace pat {
namespace {

constexpr CostModel links{.alpha_s = 30e-6, .beta_s_per_byte = 8.5e-9, .gamma_s_per_byte = 0.5e-9};

Problem problem_of(Operation operation, int ranks, std::size_t bytes) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.units = bytes / 8;
  problem.unit_bytes = 8;
  problem.cost = {links.alpha_s, links.beta_s_per_byte, links.gamma_s_per_byte};
  return problem;
}

double run_s(const Algorithm& algorithm, const Problem& problem) {
  const ArrivalPattern flat = ArrivalPattern::flat(problem.ranks);
  return simulate(build_schedule(algorithm, problem, flat), flat, links).run_time_s();
}

/// Over its own choice, the least of all segments, or of all variants up to 8.
double over_the_best(const Algorithm& algorithm, int ranks, std::size_t bytes, bool segments) {
  const Problem problem = problem_of(algorithm.operation, ranks, bytes);
  const double chosen_s = run_s(algorithm, problem);
  double best_s = chosen_s;
  for (int choice = 1; choice <= (segments ? 128 : 8);
       choice = std::max(choice + 1, choice * 5 / 4)) {
    Problem other = problem;
    if (segments) {
      if (algorithm.tune != nullptr)
        other.variant = algorithm.tune(problem, ArrivalPattern::flat(ranks)).variant;
      other.segments = choice;
    } else {
      other.variant = choice;
    }
    best_s = std::min(best_s, run_s(algorithm, other));
  }
  return chosen_s / best_s;
}

TEST(Tuned, SegmentsAreHardlyWorseThanTheBest) {
  struct Case {
    Operation operation;
    const char* name;
    double most;  // two-tree's and slt's formulas are not exact
  };
  const std::vector<Case> cases = {
      {Operation::bcast, "pipeline", 1.05},         {Operation::bcast, "spipe", 1.05},
      {Operation::bcast, "pipelined-binary", 1.05}, {Operation::bcast, "circulant", 1.05},
      {Operation::bcast, "k-chain", 1.05},          {Operation::bcast, "two-tree", 1.3},
      {Operation::reduce, "pipeline", 1.05},        {Operation::reduce, "k-chain", 1.05},
      {Operation::reduce, "two-tree", 1.2},         {Operation::allreduce, "slt", 1.2}};
  for (const Case& one : cases)
    for (const int ranks : {8, 16, 48})
      for (const std::size_t bytes : {std::size_t{1} << 14, std::size_t{1} << 20})
        EXPECT_LT(over_the_best(get_algorithm(one.operation, one.name), ranks, bytes, true),
                  one.most)
            << name(one.operation) << " " << one.name << " " << ranks << " " << bytes;
}

TEST(Tuned, TreesHaveNearlyTheBestDegree) {
  for (const char* name : {"kary", "knomial"})
    for (const int ranks : {5, 8, 16, 27, 48, 100})
      EXPECT_LT(over_the_best(get_algorithm(Operation::bcast, name), ranks, 1 << 14, false), 1.21)
          << name << " " << ranks;
}

}  // namespace
}  // namespace pat
