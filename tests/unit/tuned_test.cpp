// What algorithms choose by their cost formulas, against a scan of what they could have chosen; and
// where the formulas are exact, that they are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/bound.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/operation_row.hpp"

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

/// From the last arrival on.
double run_s(const Algorithm& algorithm, const Problem& problem, const ArrivalPattern& pattern) {
  return simulate(build_schedule(algorithm, problem, pattern), pattern, links).run_time_s() -
         *std::max_element(pattern.offset_s.begin(), pattern.offset_s.end());
}

double run_s(const Algorithm& algorithm, const Problem& problem) {
  return run_s(algorithm, problem, ArrivalPattern::flat(problem.ranks));
}

Problem with(Problem problem, int segments, int variant) {
  problem.segments = segments;
  problem.variant = variant;
  return problem;
}

std::size_t operations(const Algorithm& algorithm, const Problem& problem) {
  std::size_t count = 0;
  for (const Program& program :
       build_schedule(algorithm, problem, ArrivalPattern::flat(problem.ranks)).programs)
    count += program.ops.size();
  return count;
}

/// Whether the number of segments is the algorithm's to choose, and k (or how many come first).
bool chooses_segments(const Algorithm& algorithm) {
  const Problem problem = problem_of(algorithm.operation, 8, 1 << 14);
  return operations(algorithm, with(problem, 1, -1)) != operations(algorithm, with(problem, 2, -1));
}
bool chooses_variant(const Algorithm& algorithm) {
  if (algorithm.name == "clairvoyant") return false;  // there an order
  const Problem problem = problem_of(algorithm.operation, 8, 1 << 14);
  return algorithm.tune != nullptr && algorithm.tune(problem, ArrivalPattern::flat(8)).variant >= 0;
}

/// 0 (its own), 1, 2, 3, ... and further by a quarter.
template <class Try>
void scan(bool chooses, int most, Try try_one) {
  try_one(0);
  for (int one = 1; chooses && one <= most; one = std::max(one + 1, one * 5 / 4))
    if (!try_one(one)) return;
}

/// Over what it chooses itself, the least of all segments and all variants.
double over_the_best(const Algorithm& algorithm, const Problem& problem,
                     const ArrivalPattern& pattern) {
  const double chosen_s = run_s(algorithm, problem, pattern);
  double best_s = chosen_s;
  scan(chooses_variant(algorithm), problem.ranks, [&](int variant) {
    double best_here_s = INFINITY;
    scan(chooses_segments(algorithm), 128, [&](int segments) {
      const double one_s =
          run_s(algorithm, with(problem, segments, variant > 0 ? variant : -1), pattern);
      best_here_s = std::min(best_here_s, one_s);
      return segments == 0 || one_s < 1.5 * best_here_s;
    });
    best_s = std::min(best_s, best_here_s);
    return true;
  });
  return chosen_s / best_s;
}

/// One of a kind whose formula is not exact: how far its choice may be from the best.
struct Loose {
  Operation operation;
  const char* name;
  double together, late;
};

/// The two trees' formulas are bounds, that of chains is of real k and N. local-redirect-seg, the
/// allreduces and b-early-first count their early ones by the arrivals alone and cut for long
/// vectors; bdr takes as few pieces as end nearly soonest by its own formula.
const std::vector<Loose> loose = {{Operation::reduce, "two-tree", 1.2, 1.2},
                                  {Operation::reduce, "local-redirect-seg", 1.3, 1.3},
                                  {Operation::reduce, "k-chain", 1.08, 1.08},
                                  {Operation::bcast, "k-chain", 1.08, 1.08},
                                  {Operation::bcast, "two-tree", 1.2, 1.2},
                                  {Operation::allreduce, "two-tree", 1.2, 1.2},
                                  {Operation::allreduce, "slt", 1.08, 1.08},
                                  {Operation::allreduce, "prr", 1.08, 1.55},
                                  {Operation::allreduce, "straggler", 1.8, 3.0},
                                  {Operation::allreduce, "clairvoyant-allreduce", 1.15, 1.08},
                                  {Operation::allgather, "bdr", 1.08, 1.3},
                                  {Operation::alltoall, "b-early-first", 1.08, 1.15}};

double most_of(const Algorithm& algorithm, bool late) {
  for (const Loose& one : loose)
    if (one.operation == algorithm.operation && one.name == algorithm.name)
      return late ? one.late : one.together;
  return 1.05;
}

/// All that is chosen, by whichever algorithm: all together, and with one process late where the
/// end depends on it and the algorithm follows arrivals.
TEST(Tuned, ChoicesAreHardlyWorseThanTheBest) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.build == nullptr || !(chooses_segments(algorithm) || chooses_variant(algorithm)))
      continue;
    const bool rooted = row(algorithm.operation).rooted;
    for (const bool late : {false, true}) {
      if (late && (rooted || !algorithm.uses_pattern)) continue;
      for (const int ranks : {8, 11, rooted ? 48 : 16})
        for (const std::size_t bytes : {1U << 10, 1U << 14, 1U << 20}) {
          ArrivalPattern pattern = ArrivalPattern::flat(ranks);
          if (late)
            pattern.offset_s.back() = 3 * (4 * links.alpha_s + bytes * links.beta_s_per_byte);
          const Problem problem = problem_of(algorithm.operation, ranks, bytes);
          EXPECT_LT(over_the_best(algorithm, problem, pattern), most_of(algorithm, late))
              << name(algorithm.operation) << " " << algorithm.name << " " << ranks << " " << bytes
              << (late ? " late" : "");
        }
    }
  }
}

/// With as many processes as fit a k, and others. By whole levels a k-ary tree's k h is an upper
/// bound.
TEST(Tuned, TreesHaveNearlyTheBestDegree) {
  for (const Operation operation :
       {Operation::bcast, Operation::reduce, Operation::gather, Operation::scatter})
    for (const char* name : {"kary", "knomial"}) {
      const Algorithm* algorithm = find_algorithm(operation, name);
      if (algorithm == nullptr) continue;
      for (const int ranks : {5, 8, 16, 27, 48, 100}) {
        const ArrivalPattern flat = ArrivalPattern::flat(ranks);
        EXPECT_LT(over_the_best(*algorithm, problem_of(operation, ranks, 1 << 10), flat),
                  algorithm->name == "kary" ? 1.21 : 1.0 + 1e-9)
            << pat::name(operation) << " " << name << " " << ranks;
      }
    }
}

/// Of formula and schedule, relative to the formula.
double difference(const Algorithm& algorithm, const Problem& problem) {
  const double formula_s = algorithm.flat_s(CostTerms(problem, links));
  return std::abs(run_s(algorithm, problem) / formula_s - 1.0);
}

constexpr double rounding = 1e-9;
constexpr std::size_t some_bytes = 8 * 3 * 5 * 7 * 16;  // cut into segments of one length
const double message_s = links.alpha_s + some_bytes * links.beta_s_per_byte;

/// With P a power of k. The lecture's formula for k = 3 is misprinted: each round takes k - 1
/// messages.
TEST(Formulas, KnomialTreesTakeTheirMessages) {
  const Algorithm& knomial = get_algorithm(Operation::bcast, "knomial");
  for (const int k : {2, 3, 4})
    for (int ranks = k, rounds = 1; ranks <= 256; ranks *= k, ++rounds) {
      Problem problem = problem_of(Operation::bcast, ranks, some_bytes);
      problem.variant = k;
      EXPECT_LT(difference(knomial, problem), rounding) << k << " " << ranks;
      EXPECT_NEAR(run_s(knomial, problem) / message_s, (k - 1) * rounds, rounding) << k;
    }
}

/// In trees whose last level is full. The lecture's height, ceil(log_k P), is that of a tree which
/// has P processes there alone.
TEST(Formulas, KaryTreesTakeTheirLevels) {
  const Algorithm& kary = get_algorithm(Operation::bcast, "kary");
  for (const int k : {2, 3, 4})
    for (int ranks = 1 + k, width = k, height = 1; ranks <= 400;
         width *= k, ranks += width, ++height) {
      Problem problem = problem_of(Operation::bcast, ranks, some_bytes);
      problem.variant = k;
      EXPECT_LT(difference(kary, problem), rounding) << k << " " << ranks;
      EXPECT_NEAR(run_s(kary, problem) / message_s, k * height, rounding) << k;
      EXPECT_EQ(CostTerms(problem, links).levels(k), height + 1) << "the lecture's height";
    }
}

TEST(Formulas, PipelinesTakeTheirSegments) {
  const Algorithm& pipeline = get_algorithm(Operation::bcast, "pipeline");
  for (const int ranks : {2, 3, 8, 17, 48})
    for (const int segments : {1, 2, 7, 15, 48}) {
      Problem problem = problem_of(Operation::bcast, ranks, some_bytes);
      problem.segments = segments;
      EXPECT_LT(difference(pipeline, problem), rounding) << ranks << " " << segments;
    }
}

/// The lecture takes the lesser of the two.
TEST(Formulas, ABroadcastIsBoundByBothOfItsTerms) {
  const CostModel slow_start{.alpha_s = 1.0, .beta_s_per_byte = 1e-9, .gamma_s_per_byte = 0.0};
  for (const CostModel& model : {links, slow_start}) {
    const double bound_s = lower_bound_s(problem_of(Operation::bcast, 48, some_bytes),
                                         ArrivalPattern::flat(48), model);
    EXPECT_GE(bound_s, 6 * model.alpha_s);
    EXPECT_GE(bound_s, model.alpha_s + some_bytes * model.beta_s_per_byte);
  }
}

/// What an allreduce takes: messages one after another, and how often the vector passes a port and
/// is combined.
struct Derived {
  double messages, vectors, combined;
};

void expect_derived(const char* name, int ranks, const Derived& derived) {
  const Algorithm& algorithm = get_algorithm(Operation::allreduce, name);
  Problem problem = problem_of(Operation::allreduce, ranks, some_bytes);
  problem.segments = 1;
  EXPECT_LT(difference(algorithm, problem), rounding) << name << " " << ranks;
  const double derived_s =
      derived.messages * links.alpha_s + some_bytes * (derived.vectors * links.beta_s_per_byte +
                                                       derived.combined * links.gamma_s_per_byte);
  EXPECT_NEAR(run_s(algorithm, problem) / derived_s, 1.0, rounding) << name << " " << ranks;
}

/// The lecture has 2 log2 P messages of the whole vector: its two ways pass side by side.
TEST(Formulas, RecursiveDoublingPassesTheVectorOnceARound) {
  for (int ranks = 2, rounds = 1; ranks <= 64; ranks *= 2, ++rounds)
    expect_derived("recursive-doubling", ranks, {1.0 * rounds, 1.0 * rounds, 1.0 * rounds});
}

/// The lecture has half of the start-ups, and half of the bytes: one of the two phases.
TEST(Formulas, RabenseifnersAllreduceHasTwoPhases) {
  for (int ranks = 2, rounds = 1; ranks <= 16; ranks *= 2, ++rounds) {
    const double share = (ranks - 1.0) / ranks;
    expect_derived("rabenseifner", ranks, {2.0 * rounds, 2 * share, share});
  }
}

/// The lecture has twice as many messages. All combine in one order, for which others wait.
TEST(Formulas, AWholeRingPassesEveryVectorOnce) {
  for (const int ranks : {2, 3, 5, 16, 31})
    expect_derived("whole-ring", ranks, {ranks - 1.0, ranks - 1.0, 2.0 * ranks - 3});
}

/// The lecture has twice as many messages of a part, and counts the combining P times too often.
TEST(Formulas, ARingCombinesEachVectorOnce) {
  for (const int ranks : {2, 3, 5, 16}) {
    const double share = (ranks - 1.0) / ranks;
    expect_derived("ring", ranks, {2.0 * (ranks - 1), 2 * share, share});
  }
}

}  // namespace
}  // namespace pat
