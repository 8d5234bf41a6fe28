// The lower bounds: no algorithm beats them; those of scatter and gather no tree either, and some
// reach them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include "collectives/algorithm.hpp"
#include "collectives/cost/bound.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/gather/tree.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/scatter/tree.hpp"
#include "core/errors.hpp"
#include "tests/unit/patterns.hpp"

namespace pat {
namespace {

constexpr double rounding = 1e-9;  // relative to times of about 1

/// Calls use(children) for every tree over 0 .. n-1 with root 0 and every order in which the
/// processes may serve their children.
void for_each_tree(int n, const std::function<void(const std::vector<std::vector<int>>&)>& use) {
  std::vector<int> parent(n, 0);
  const auto acyclic = [&] {
    for (int v = 1; v < n; ++v) {
      int at = v;
      for (int steps = 0; at != 0; at = parent[at])
        if (++steps > n) return false;
    }
    return true;
  };
  const std::function<void(std::vector<std::vector<int>>&, int)> reorder =
      [&](std::vector<std::vector<int>>& children, int v) {
        if (v == n) return use(children);
        std::sort(children[v].begin(), children[v].end());
        do {
          reorder(children, v + 1);
        } while (std::next_permutation(children[v].begin(), children[v].end()));
      };
  const std::function<void(int)> choose = [&](int v) {
    if (v == n) {
      if (!acyclic()) return;
      std::vector<std::vector<int>> children(n);
      for (int i = 1; i < n; ++i) children[parent[i]].push_back(i);
      return reorder(children, 0);
    }
    for (parent[v] = 0; parent[v] < n; ++parent[v])
      if (parent[v] != v) choose(v + 1);
    parent[v] = 0;
  };
  choose(1);
}

/// The shortest run time over every tree and every order of serving.
double best_tree_s(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
                   bool background) {
  double best = INFINITY;
  std::vector<int> ranks;
  for (int i = 0; i < problem.ranks; ++i) ranks.push_back((problem.root + i) % problem.ranks);
  for_each_tree(problem.ranks, [&](const std::vector<std::vector<int>>& children) {
    RootedTree tree = lay_out(ranks, [&](int v) { return children[v]; });
    Schedule schedule = problem.operation == Operation::gather
                            ? gather::build_tree_gather(problem, {tree, true, background})
                            : scatter::build_tree_scatter(problem, {tree, background});
    seal(schedule);
    best = std::min(best, simulate(schedule, pattern, model).run_time_s());
  });
  return best;
}

struct Case {
  Problem problem;
  ArrivalPattern pattern;
};

/// Every combination of arrivals from {0, 1, 2.5} and counts from {0, 1, 3} for P = 2 and 3, and
/// equal counts for P = 4.
std::vector<Case> small_cases(Operation operation) {
  std::vector<Case> cases;
  const double arrivals[] = {0.0, 1.0, 2.5};
  const std::size_t counts[] = {0, 1, 3};
  for (int ranks = 2; ranks <= 4; ++ranks) {
    const int combinations = static_cast<int>(std::pow(3, ranks));
    for (int a = 0; a < combinations; ++a)
      for (int c = 0; c < (ranks < 4 ? combinations : 1); ++c) {
        Case one;
        one.problem.operation = operation;
        one.problem.ranks = ranks;
        one.problem.root = (a + c) % ranks;
        one.problem.units = 1;
        for (int r = 0, x = a, y = c; r < ranks; ++r, x /= 3, y /= 3) {
          one.pattern.offset_s.push_back(arrivals[x % 3]);
          one.problem.counts.push_back(ranks < 4 ? counts[y % 3] : 1);
        }
        cases.push_back(one);
      }
  }
  return cases;
}

std::string text(const Case& one) {
  std::string s(name(one.problem.operation));
  s += " root=" + std::to_string(one.problem.root) + " arrivals/counts:";
  for (int r = 0; r < one.problem.ranks; ++r)
    s +=
        " " + std::to_string(one.pattern.offset_s[r]) + "/" + std::to_string(one.problem.counts[r]);
  return s;
}

class BoundOf : public testing::TestWithParam<Operation> {};

TEST_P(BoundOf, HoldsForEveryTreeAndEveryOrder) {
  for (const CostModel& model : {CostModel{.alpha_s = 0.0, .beta_s_per_byte = 1.0},
                                 CostModel{.alpha_s = 0.4, .beta_s_per_byte = 0.7}})
    for (const Case& one : small_cases(GetParam())) {
      const double any = lower_bound_s(one.problem, one.pattern, model);
      const double foreground = lower_bound_s(one.problem, one.pattern, model, Reach::foreground);
      EXPECT_LE(any, foreground);
      ASSERT_GE(best_tree_s(one.problem, one.pattern, model, true) + rounding, any) << text(one);
      ASSERT_GE(best_tree_s(one.problem, one.pattern, model, false) + rounding, foreground)
          << text(one);
    }
}

TEST_P(BoundOf, IsReachedWhereMessagesStartAtNoCost) {
  const CostModel model{.alpha_s = 0.0, .beta_s_per_byte = 1.0};
  int reached_in_foreground = 0, cases = 0;
  for (const Case& one : small_cases(GetParam())) {
    ASSERT_NEAR(best_tree_s(one.problem, one.pattern, model, true),
                lower_bound_s(one.problem, one.pattern, model), rounding)
        << text(one);
    const double foreground = lower_bound_s(one.problem, one.pattern, model, Reach::foreground);
    reached_in_foreground +=
        best_tree_s(one.problem, one.pattern, model, false) <= foreground + rounding;
    ++cases;
  }
  // In the foreground a process that receives its own block cannot make up for a port that stood
  // idle, so the bound is not always reached; it is in most cases.
  std::printf("%s: foreground bound reached in %d of %d cases\n",
              std::string(name(GetParam())).c_str(), reached_in_foreground, cases);
  EXPECT_GT(reached_in_foreground, cases * 2 / 3);
}

INSTANTIATE_TEST_SUITE_P(ScatterAndGather, BoundOf,
                         testing::Values(Operation::gather, Operation::scatter),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST(Bound, HoldsForEveryRegisteredAlgorithm) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0.0, 0.05);
  for (const Algorithm& algorithm : algorithms()) {
    const OperationRow& operation = row(algorithm.operation);
    if (operation.bound == nullptr || algorithm.build == nullptr) continue;
    for (int trial = 0; trial < 60; ++trial) {
      Problem problem;
      problem.operation = algorithm.operation;
      problem.ranks = 2 + static_cast<int>(random() % 20);
      const int drawn = static_cast<int>(random() % problem.ranks);
      if (operation.rooted) problem.root = drawn;
      problem.window = 1 + static_cast<int>(random() % 4);
      ArrivalPattern pattern = ArrivalPattern::flat(problem.ranks);
      const bool together = trial % 3 == 0, small = trial % 4 == 0;  // what bounds it then differs
      for (int rank = 0; rank < problem.ranks; ++rank) {
        if (!together) pattern.offset_s[rank] = uniform(random);
      }
      const auto draw = [&]() -> std::size_t {
        return random() % 3 == 0 ? 0 : random() % (small ? 10 : 200000);
      };
      const bool alike = operation.in_pairs() && (algorithm.needs_all_counts || trial % 2 == 0);
      if (operation.has_v_form() && !alike)
        test::vary(problem, draw);
      else
        problem.units = draw();
      const Schedule schedule = build_schedule(algorithm, problem, pattern);
      const double bound = lower_bound_s(problem, pattern, {},
                                         algorithm.background ? Reach::any : Reach::foreground);
      ASSERT_GE(simulate(schedule, pattern, {}).run_time_s(), bound - 1e-12) << algorithm.name;
    }
  }
}

TEST(Bound, OfNoDataIsTheSpreadOfTheArrivals) {
  Problem problem;
  problem.ranks = 3;
  const ArrivalPattern pattern{{1.0, 4.0, 2.0}, {}, 0};
  for (const OperationRow& one : operation_rows()) {
    if (one.bound == nullptr || !one.has_bytes()) continue;
    problem.operation = one.operation;
    EXPECT_DOUBLE_EQ(lower_bound_s(problem, pattern, {}), 3.0);
    EXPECT_DOUBLE_EQ(lower_bound_s(problem, pattern, {}, Reach::foreground), 3.0);
  }
}

/// Messages without data leave before they are asked for.
const CostModel signals{.alpha_s = 1.0, .beta_s_per_byte = 1.0, .eager_bytes = 1};

/// Simulated time from the last arrival on, in start-up times.
double barrier_steps(const char* algorithm, const ArrivalPattern& pattern) {
  Problem problem;
  problem.operation = Operation::barrier;
  problem.ranks = pattern.ranks();
  const Schedule schedule =
      build_schedule(get_algorithm(problem.operation, algorithm), problem, pattern);
  return simulate(schedule, pattern, signals).run_time_s() - absolute_imbalance_s(pattern);
}

TEST(Bound, OfABarrierIsReachedByDisseminationTogetherAndBySbnAfterALateProcess) {
  for (int ranks = 2; ranks <= 33; ++ranks) {
    const double doublings = std::ceil(std::log2(ranks));
    const bool power = std::log2(ranks) == doublings;
    const ArrivalPattern flat = ArrivalPattern::flat(ranks);
    EXPECT_EQ(barrier_steps("dissemination", flat), doublings) << ranks;
    EXPECT_EQ(barrier_steps("recursive-doubling", flat),
              power ? doublings : std::floor(std::log2(ranks)) + 2)
        << ranks;
    EXPECT_EQ(barrier_steps("tree", flat), 2 * doublings) << ranks;
    EXPECT_EQ(barrier_steps("sbn", flat), 2 * doublings) << ranks;
    EXPECT_EQ(barrier_steps("linear", flat), 2.0 * (ranks - 1)) << ranks;
    EXPECT_EQ(barrier_steps("double-ring", flat), 2.0 * (ranks - 1)) << ranks;
    for (const int late : {0, ranks / 2, ranks - 1}) {
      ArrivalPattern pattern = flat;
      pattern.offset_s[late] = 100.0;
      Problem problem;
      problem.operation = Operation::barrier;
      problem.ranks = ranks;
      EXPECT_EQ(lower_bound_s(problem, pattern, signals), 100.0 + doublings);
      EXPECT_EQ(barrier_steps("sbn", pattern), doublings) << ranks << ", late " << late;
      EXPECT_GE(barrier_steps("dissemination", pattern), doublings) << ranks << ", late " << late;
    }
  }
}

TEST(Bound, RefusesOtherOperationsAndBadPatterns) {
  Problem problem;
  problem.ranks = 3;
  EXPECT_THROW(lower_bound_s(problem, ArrivalPattern::flat(2), {}), Error);
  for (const OperationRow& one : operation_rows()) {
    if (one.bound != nullptr) continue;
    problem.operation = one.operation;
    EXPECT_THROW(lower_bound_s(problem, ArrivalPattern::flat(3), {}), Error);
  }
}

TEST(Distance, OfEveryAlgorithmForSeed001sCluster) {
  // 48 processes, 2 Mi floats in all, 1 Gbit/s, alpha 25 us: the setting of seed 001 Section 5.
  constexpr int ranks = 48;
  constexpr double delay_s = 0.050;
  const CostModel model{.alpha_s = 25e-6, .beta_s_per_byte = 8e-9};
  ArrivalPattern uniform = ArrivalPattern::flat(ranks);
  std::mt19937_64 random(1);
  for (double& offset : uniform.offset_s)
    offset = std::uniform_real_distribution<double>(0.0, delay_s)(random);
  ArrivalPattern single_late = ArrivalPattern::flat(ranks), late_root = single_late;
  single_late.offset_s[1] = delay_s;
  late_root.offset_s[0] = delay_s;
  const std::pair<const char*, ArrivalPattern> patterns[] = {
      {"uniform", uniform}, {"single-late", single_late}, {"late-root", late_root}};

  std::printf(
      "Run time in ms and distance to the bound; P = 48, 2 Mi floats, 1 Gbit/s, "
      "alpha = 25 us, delays of up to 50 ms\n%-16s",
      "algorithm");
  for (const auto& [title, pattern] : patterns) std::printf("%11s%10s", title, "");
  std::printf("\n");
  for (const Operation operation : {Operation::gather, Operation::scatter}) {
    Problem problem;
    problem.operation = operation;
    problem.ranks = ranks;
    problem.units = (std::size_t{2} << 20) * 4 / ranks;
    const std::string prefix = std::string(name(operation)) + " ";
    std::printf("%-16s", (prefix + "bound").c_str());
    for (const auto& [title, pattern] : patterns)
      std::printf("%11.2f%10s", 1e3 * lower_bound_s(problem, pattern, model), "");
    std::printf("\n");
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.operation != operation || algorithm.build == nullptr) continue;
      std::printf("%-16s", (prefix + algorithm.name).c_str());
      for (const auto& [title, pattern] : patterns) {
        const Schedule schedule = build_schedule(algorithm, problem, pattern);
        const double run_s = simulate(schedule, pattern, model).run_time_s();
        const double distance = run_s / lower_bound_s(problem, pattern, model) - 1.0;
        std::printf("%11.2f%+9.1f%%", 1e3 * run_s, 100.0 * distance);
        EXPECT_GE(distance, 0.0);
        if (algorithm.name == "bsls" || algorithm.name == "bslin") {
          EXPECT_LT(distance, 0.05) << algorithm.name << " " << title;
        }
      }
      std::printf("\n");
    }
  }
}

/// The table of docs/collectives.md.
TEST(Distance, OfEveryBarrierBalancedAndWithOneLateProcess) {
  for (const bool late : {false, true}) {
    std::printf("%s, start-up times\n%4s %6s", late ? "one late" : "together", "P", "bound");
    for (const Algorithm& algorithm : algorithms())
      if (algorithm.operation == Operation::barrier && algorithm.build != nullptr)
        std::printf(" %18s", algorithm.name.c_str());
    for (const int ranks : {8, 11, 16, 48}) {
      ArrivalPattern pattern = ArrivalPattern::flat(ranks);
      if (late) pattern.offset_s[1] = 1000.0;
      const double bound = std::ceil(std::log2(ranks));
      std::printf("\n%4d %6.0f", ranks, bound);
      for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.operation != Operation::barrier || algorithm.build == nullptr) continue;
        const double steps = barrier_steps(algorithm.name.c_str(), pattern);
        std::printf(" %18.0f", steps);
        EXPECT_GE(steps, bound) << algorithm.name;
      }
    }
    std::printf("\n");
  }
}

/// The tables of docs/collectives.md: ms from the last arrival on, and the bound.
TEST(Distance, OfEveryAllreduceBalancedAndWithOneLateProcess) {
  const LinkCost link{.alpha_s = 30e-6, .beta_s_per_byte = 8.5e-9, .gamma_s_per_byte = 0.0};
  const CostModel model = cost_model(link);
  for (const bool late : {false, true}) {
    std::printf("\n%s\n%4s %9s %9s", late ? "one process late" : "all together", "P", "bytes",
                "bound");
    for (const Algorithm& algorithm : algorithms())
      if (algorithm.operation == Operation::allreduce && algorithm.build != nullptr)
        std::printf(" %18s", algorithm.name.c_str());
    for (const int ranks : {8, 11, 16, 48})
      for (const std::size_t bytes :
           {std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{8} << 20}) {
        Problem problem;
        problem.operation = Operation::allreduce;
        problem.ranks = ranks;
        problem.unit_bytes = 8;
        problem.units = bytes / 8;
        problem.cost = link;
        ArrivalPattern pattern = ArrivalPattern::flat(ranks);
        if (late) pattern.offset_s[1] = 3.0 * static_cast<double>(bytes) * link.beta_s_per_byte;
        const double last_s = pattern.offset_s[1];
        const double bound_s = lower_bound_s(problem, pattern, model) - last_s;
        std::printf("\n%4d %9zu %9.2f", ranks, bytes, 1e3 * bound_s);
        double blind_s = INFINITY, aware_s = INFINITY;
        for (const Algorithm& algorithm : algorithms()) {
          if (algorithm.operation != Operation::allreduce || algorithm.build == nullptr) continue;
          const Schedule schedule = build_schedule(algorithm, problem, pattern);
          const double run_s = simulate(schedule, pattern, model).run_time_s() - last_s;
          std::printf(" %18.2f", 1e3 * run_s);
          EXPECT_GE(run_s, bound_s - 1e-12) << algorithm.name;
          double& best_s = algorithm.uses_pattern ? aware_s : blind_s;
          best_s = std::min(best_s, run_s);
        }
        if (bytes < std::size_t{8} << 20) continue;
        EXPECT_LT(late ? aware_s : blind_s, (late ? 1.3 : 1.03) * bound_s) << ranks;
        if (late) {
          EXPECT_LT(1.4 * aware_s, blind_s) << ranks;
        }
      }
    std::printf("\n");
  }
}

/// Seconds from the last arrival on.
double allreduce_s(const char* name, const Problem& problem, const ArrivalPattern& pattern) {
  const Algorithm& algorithm = get_algorithm(Operation::allreduce, name);
  const double last_s = *std::max_element(pattern.offset_s.begin(), pattern.offset_s.end());
  return simulate(build_schedule(algorithm, problem, pattern), pattern, cost_model(problem.cost))
             .run_time_s() -
         last_s;
}

/// Another table of docs/collectives.md: how late the last one must be. In shares of the bound.
TEST(Distance, OfTheAllreducesThatFollowArrivalsByHowLateTheLastIs) {
  constexpr std::size_t bytes = std::size_t{16} << 20;
  std::printf("\n%4s %20s %10s %10s %10s %10s\n", "P", "late by m beta", "circulant", "straggler",
              "clairvoyant", "two late");
  for (const int ranks : {4, 8, 12, 16, 31, 64, 128})
    for (const double late : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0}) {
      Problem problem;
      problem.operation = Operation::allreduce;
      problem.ranks = ranks;
      problem.unit_bytes = 8;
      problem.units = bytes / 8;
      problem.cost = {.alpha_s = 30e-6, .beta_s_per_byte = 8.5e-9, .gamma_s_per_byte = 0.0};
      const double late_s = late * static_cast<double>(bytes) * problem.cost.beta_s_per_byte;
      ArrivalPattern two = ArrivalPattern::flat(ranks);
      two.offset_s[ranks / 3] = two.offset_s[ranks - 1] = late_s;
      std::printf("%4d %20.1f", ranks, late);
      for (const int who : {0, ranks / 2, ranks - 1}) {
        ArrivalPattern one = ArrivalPattern::flat(ranks);
        one.offset_s[who] = late_s;
        const double bound_s = lower_bound_s(problem, one, cost_model(problem.cost)) - late_s;
        const double blind_s =
            std::min({allreduce_s("circulant", problem, one), allreduce_s("ring", problem, one),
                      allreduce_s("rabenseifner", problem, one)});
        const double aware_s = allreduce_s("clairvoyant-allreduce", problem, one);
        if (who == 0)
          std::printf(" %10.2f %10.2f %10.2f %10.2f", blind_s / bound_s,
                      allreduce_s("straggler", problem, one) / bound_s, aware_s / bound_s,
                      allreduce_s("clairvoyant-allreduce", problem, two) / bound_s);
        EXPECT_GE(aware_s, bound_s);
        if (late < 1.4) continue;
        EXPECT_LT(aware_s, 1.15 * bound_s) << ranks << ", late: " << who;
        EXPECT_LT(1.3 * aware_s, blind_s) << ranks << ", late: " << who;
      }
      std::printf("\n");
    }
}

/// With two late, messages asking: in shares of the bound. docs/collectives.md says what is
/// expected.
TEST(Distance, OfAllreducesWithTwoLateIsNotLessThanTheRings) {
  const std::vector<const char*> aware = {"slt", "prr", "straggler", "clairvoyant-allreduce"};
  std::printf("\n%4s %8s", "P", "ring");
  for (const char* name : aware) std::printf(" %22s", name);
  for (const int ranks : {4, 8, 16, 31, 64}) {
    Problem problem;
    problem.operation = Operation::allreduce;
    problem.ranks = ranks;
    problem.unit_bytes = 8;
    problem.units = std::size_t{1} << 20;
    problem.cost = {.alpha_s = 30e-6, .beta_s_per_byte = 8.5e-9, .gamma_s_per_byte = 0.0};
    ArrivalPattern two = ArrivalPattern::flat(ranks);
    const double late_s = 3.0 * problem.block_bytes() * problem.cost.beta_s_per_byte;
    two.offset_s[ranks / 3] = two.offset_s[ranks - 1] = late_s;
    const double bound_s = lower_bound_s(problem, two, cost_model(problem.cost)) - late_s;
    const double ring_s = allreduce_s("ring", problem, two);
    std::printf("\n%4d %8.2f", ranks, ring_s / bound_s);
    for (const char* name : aware) {
      const double run_s = allreduce_s(name, problem, two);
      std::printf(" %22.2f", run_s / bound_s);
      EXPECT_GT(run_s, 0.99 * ring_s) << name << ", " << ranks;
    }
  }
  std::printf("\n");
}

}  // namespace
}  // namespace pat
