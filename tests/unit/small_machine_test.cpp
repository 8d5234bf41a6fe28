// Decisions among more processes than are simulated one by one.

#include "collectives/cost/small_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "collectives/cost/select.hpp"
#include "collectives/operation_row.hpp"

namespace pat {
namespace {

const CostModel links{.alpha_s = 30e-6, .beta_s_per_byte = 8.5e-9, .gamma_s_per_byte = 0.25e-9};

/// `bytes` in all; of a vector, its own.
Problem problem_of(Operation operation, int ranks, std::size_t bytes) {
  const OperationRow& about = row(operation);
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.unit_bytes = about.combines ? 8 : 1;
  problem.cost = {links.alpha_s, links.beta_s_per_byte, links.gamma_s_per_byte};
  const std::size_t block = about.in_blocks() ? bytes / static_cast<std::size_t>(ranks) : bytes;
  problem.units = about.has_bytes() ? block / problem.unit_bytes : 0;
  return problem;
}

struct Named {
  std::string name;
  ArrivalPattern pattern;
};

/// Those of the regret table.
std::vector<Named> patterns_of(int ranks, double delay_s) {
  std::vector<Named> patterns;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(0.0, 1.0);
  const auto add = [&](const char* name, auto late) {
    ArrivalPattern pattern = ArrivalPattern::flat(ranks);
    for (int r = 0; r < ranks; ++r) pattern.offset_s[r] = delay_s * late(r);
    patterns.push_back({name, std::move(pattern)});
  };
  add("equal", [&](int) { return 0.0; });
  add("uniform", [&](int) { return any(random); });
  add("wave", [&](int r) { return 0.5 + 0.5 * std::sin(2 * M_PI * r / ranks); });
  add("one-late", [&](int r) { return r == ranks - 1 ? 1.0 : 0.0; });
  add("other-late", [&](int r) { return r % 2; });
  add("late-root", [&](int r) { return r == 0 ? 1.0 : 0.0; });
  return patterns;
}

/// Every process simulated.
double full_s(const Algorithm& algorithm, const Problem& problem, const ArrivalPattern& planned,
              const ArrivalPattern& actual, const CostModel& model) {
  return simulate(build_schedule(algorithm, problem, planned), actual, model).run_time_s();
}

TEST(SmallMachine, EveryWayOfAutoHasAFormulaThatHolds) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.build == nullptr || algorithm.on_demand) continue;
    ASSERT_NE(algorithm.flat_s, nullptr) << algorithm.name;
    for (const int ranks : {16, 64})
      for (const std::size_t bytes : {std::size_t{1} << 16, std::size_t{1} << 20}) {
        const Problem problem = problem_of(algorithm.operation, ranks, bytes);
        const ArrivalPattern flat = ArrivalPattern::flat(ranks);
        const double ratio =
            formula_s(algorithm, problem, links) / full_s(algorithm, problem, flat, flat, links);
        EXPECT_GT(ratio, 1 / 1.6) << name(problem.operation) << " " << algorithm.name << " "
                                  << ranks << " " << bytes;
        EXPECT_LT(ratio, 1.6) << name(problem.operation) << " " << algorithm.name << " " << ranks
                              << " " << bytes;
      }
  }
}

TEST(SmallMachine, IsTheMachineWhereThatIsSmall) {
  const Problem problem = problem_of(Operation::gather, most_simulated, 1 << 20);
  const SmallMachine machine(get_algorithm(Operation::gather, "sls"), problem, links);
  EXPECT_EQ(machine.problem.ranks, problem.ranks);
  EXPECT_EQ(machine.model.alpha_s, links.alpha_s);
  const ArrivalPattern pattern = patterns_of(most_simulated, 1.0)[1].pattern;
  EXPECT_EQ(Sample(pattern, 0, most_simulated).of(pattern).offset_s, pattern.offset_s);
}

TEST(SmallMachine, IsTheMachineWhereThereIsNoFormula) {
  const Problem problem = problem_of(Operation::neighbor_allgather, 300, 1 << 20);
  EXPECT_EQ(SmallMachine(get_algorithm(Operation::neighbor_allgather, "lin"), problem, links)
                .problem.ranks,
            300);
  EXPECT_TRUE(price(problem, links, {}).candidates.empty());
}

TEST(SmallMachine, KeepsRootFirstAndLast) {
  for (const int ranks : {257, 1000, 4096})
    for (const int root : {0, 5, ranks - 1})
      for (const auto& [name, pattern] : patterns_of(ranks, 1.0)) {
        const auto [first, last] =
            std::minmax_element(pattern.offset_s.begin(), pattern.offset_s.end());
        Problem problem = problem_of(Operation::gather, ranks, std::size_t{1} << 20);
        problem.root = root;
        const SmallMachine machine(get_algorithm(Operation::gather, "sls"), problem, links);
        const std::vector<double> sample =
            Sample(pattern, root, machine.problem.ranks).of(pattern).offset_s;
        ASSERT_LT(sample.size(), 64u);
        EXPECT_EQ(*std::min_element(sample.begin(), sample.end()), *first) << name << ranks;
        EXPECT_EQ(*std::max_element(sample.begin(), sample.end()), *last) << name << ranks;
        EXPECT_EQ(sample[machine.problem.root], pattern.offset_s[root]) << name << ranks;
        const auto late = [&](const std::vector<double>& times) {
          return std::count_if(times.begin(), times.end(), [](double t) { return t > 0.5; }) /
                 static_cast<double>(times.size());
        };
        EXPECT_NEAR(late(sample), late(pattern.offset_s), 0.2) << name << ranks;
      }
}

TEST(SmallMachine, TakesInAllBlocksOfAVForm) {
  Problem problem = problem_of(Operation::gather, 1000, 0);
  for (int r = 0; r < problem.ranks; ++r) problem.counts.push_back(100 + r % 7);
  const SmallMachine machine(get_algorithm(Operation::gather, "sls"), problem, links);
  EXPECT_EQ(machine.problem.total(), problem.total());
  EXPECT_EQ(machine.problem.counts.size(), static_cast<std::size_t>(machine.problem.ranks));
}

/// Of all ways that have a chance by their formulas, each simulated in full.
double longer_than_the_best(const Problem& problem, const Named& named) {
  const Prices prices = price(problem, links, {});
  std::vector<Candidate> known = prices.candidates;
  double least_s = 1e300, best_s = 1e300, taken_s = -1.0;
  for (Candidate& one : known) {
    one.log_sd = 0.0;
    least_s = std::min(least_s, formula_s(*one.algorithm, problem, links));
  }
  const ArrivalPattern& pattern = named.pattern;
  const Selection choice = select(problem, pattern, links, prices.mpi, known);
  for (const Candidate& one : known) {
    if (one.reading != Reading::exact) continue;  // the forecast is exact
    const bool taken =
        one.algorithm == choice.algorithm && (one.window == 0 || one.window == choice.window);
    if (!taken &&
        formula_s(*one.algorithm, problem, links) > 2.5 * least_s + absolute_imbalance_s(pattern))
      continue;
    Problem cut = problem;
    if (one.window > 0) cut.window = one.window;
    const double time_s = full_s(*one.algorithm, cut, pattern, pattern, links);
    best_s = std::min(best_s, time_s);
    if (taken) taken_s = time_s;
  }
  Problem cut = problem;
  cut.segments = prices.mpi.segments;
  cut.window = prices.mpi.window;
  const double mpi_s = full_s(*prices.mpi.stand_in, cut, ArrivalPattern::flat(problem.ranks),
                              pattern, corrected(links, prices.mpi.correction));
  return (taken_s >= 0.0 ? taken_s : mpi_s) / std::min(best_s, mpi_s);
}

TEST(SmallMachine, ChoicesAmong1024AreThoseOfTheFullSimulation) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const std::vector<std::size_t> sizes = {std::size_t{1} << 16};
#else
  const std::vector<std::size_t> sizes = {std::size_t{1} << 16, std::size_t{1} << 20};
#endif
  for (const Operation operation : {Operation::gather, Operation::scatter, Operation::reduce})
    for (const std::size_t bytes : sizes)
      for (const Named& named :
           patterns_of(1024, 2.0 * static_cast<double>(bytes) * links.beta_s_per_byte))
        EXPECT_LE(longer_than_the_best(problem_of(operation, 1024, bytes), named), 1.05)
            << name(operation) << " " << bytes << " " << named.name;
}

TEST(SmallMachine, ManyProcessesAreDecidedFor) {
  for (const int ranks : {1024, 4096, 16384}) {
    const Problem problem = problem_of(Operation::reduce, ranks, std::size_t{1} << 20);
    const ArrivalPattern late = patterns_of(ranks, 0.1)[3].pattern;
    const Prices prices = price(problem, links, {});
    std::vector<Candidate> known = prices.candidates;
    for (Candidate& one : known) one.log_sd = 0.0;
    const Selection choice = select(problem, late, links, prices.mpi, known);
    EXPECT_NE(choice.algorithm->name, "mpi") << ranks << ": " << choice.reason;
    EXPECT_LT(choice.expected_s, choice.mpi_s);
  }
}

}  // namespace
}  // namespace pat
