// What wrong costs of the network cost: each algorithm, planned with alpha and beta ten times too
// large or too small, one of them or both, simulated on links with the right ones, over what it
// takes when it is planned with these.
//
//   wrong_costs [--quick] [--algorithm NAME ...] [--factor X] [--learnt CALLS] [--most RATIO]
//
// With --learnt the plan is the one after so many calls from which the leader has learnt what they
// took, as libpat does (collectives/cost/learn). One line an algorithm: the largest ratio over
// sizes, numbers of processes and patterns for each way in which the costs are wrong. With --most
// it ends with 1 if a ratio is larger.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/learn.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/operation_row.hpp"
#include "libpat/agreement/choice.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

namespace {

using namespace pat;

struct Wrong {
  std::string name;
  double alpha, beta;
};

std::array<Wrong, 6> wrong_by(double factor) {
  char times[16], divided[16];
  std::snprintf(times, sizeof times, " x%g", factor);
  std::snprintf(divided, sizeof divided, " /%g", factor);
  return {{{std::string("both") + times, factor, factor},
           {std::string("both") + divided, 1.0 / factor, 1.0 / factor},
           {std::string("alpha") + times, factor, 1.0},
           {std::string("alpha") + divided, 1.0 / factor, 1.0},
           {std::string("beta") + times, 1.0, factor},
           {std::string("beta") + divided, 1.0, 1.0 / factor}}};
}

const LinkCost truth{30e-6, 8.5e-9, 0.25e-9};

struct Case {
  int ranks;
  std::size_t bytes;  ///< in all; of a reduction the vector
};

Problem problem_of(const Algorithm& algorithm, const Case& one) {
  const OperationRow& about = row(algorithm.operation);
  Problem problem;
  problem.operation = algorithm.operation;
  problem.ranks = one.ranks;
  problem.unit_bytes = about.combines ? 8 : 1;
  const std::size_t block =
      about.in_blocks() ? one.bytes / static_cast<std::size_t>(one.ranks) : one.bytes;
  problem.units = about.has_bytes() ? block / problem.unit_bytes : 0;
  return problem;
}

/// Equal arrivals; uniform ones; one process late: by about what the vector takes on the link.
std::vector<ArrivalPattern> patterns_of(const Case& one) {
  const double delay_s = 2.0 * static_cast<double>(one.bytes) * truth.beta_s_per_byte;
  std::vector<ArrivalPattern> patterns(3, ArrivalPattern::flat(one.ranks));
  std::mt19937_64 random(1);
  for (double& offset_s : patterns[1].offset_s)
    offset_s = delay_s * std::uniform_real_distribution<double>(0.0, 1.0)(random);
  patterns[2].offset_s.back() = delay_s;
  return patterns;
}

Schedule schedule_of(const Algorithm& algorithm, Problem problem, const ArrivalPattern& pattern,
                     const LinkCost& planned) {
  problem.cost = planned;
  if (algorithm.tune != nullptr) {
    const Tuning tuning = algorithm.tune(problem, pattern);
    problem.segments = tuning.segments;
    problem.variant = tuning.variant;
  }
  return build_schedule(algorithm, problem, pattern);
}

/// After `learnt` calls by the same forecast.
double run_time_s(const Algorithm& algorithm, const Problem& problem, const ArrivalPattern& pattern,
                  const LinkCost& planned, int learnt) {
  Prices prices = price_one(algorithm, cost_model(planned));
  const Candidate& price = prices.candidates.front();
  const auto play = [&](const Schedule& schedule, const CostModel& model) {
    return simulate(schedule, pattern, model).run_time_s();
  };
  for (int call = 0;; ++call) {
    const Schedule schedule =
        schedule_of(algorithm, problem, pattern, slower(planned, price.correction));
    const double time_s = play(schedule, cost_model(truth));
    if (call == learnt) return time_s;
    const double expected_s = play(schedule, corrected(prices.model, price.correction));
    learn(prices, price.way, {time_s, expected_s, absolute_imbalance_s(pattern), 0.0});
  }
}

double largest_ratio(const Algorithm& algorithm, const std::vector<Case>& cases, const Wrong& wrong,
                     int learnt) {
  LinkCost planned = truth;
  planned.alpha_s *= wrong.alpha;
  planned.beta_s_per_byte *= wrong.beta;
  double largest = 1.0;
  for (const Case& one : cases)
    for (const ArrivalPattern& pattern : patterns_of(one)) {
      const Problem problem = problem_of(algorithm, one);
      largest = std::max(largest, run_time_s(algorithm, problem, pattern, planned, learnt) /
                                      run_time_s(algorithm, problem, pattern, truth, 0));
    }
  return largest;
}

int run(int argc, char** argv) {
  bool quick = false;
  int learnt = 0;
  std::vector<std::string> names;
  double most = 0.0, factor = 10.0;
  CLI::App app("What wrong costs of the network cost each algorithm, simulated", "wrong_costs");
  pat::measure::HelpFormatter::use(app);
  app.add_flag("--quick", quick, "8 processes, 64 KiB and 1 MiB");
  app.add_option("--algorithm", names, "Algorithms of these names alone");
  app.add_option("--factor", factor, "How many times too large or too small")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1000.0));
  app.add_option("--learnt", learnt, "Calls from which was learnt before")
      ->check(CLI::Range(0, 1000));
  app.add_option("--most", most, "End with 1 if a ratio is larger")->check(CLI::Range(1.0, 100.0));
  return pat::measure::run_program(app, argc, argv, [&] {
    std::vector<Case> cases;
    for (const int ranks : quick ? std::vector<int>{8} : std::vector<int>{5, 8, 16, 48})
      for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{1} << 20})
        cases.push_back({ranks, bytes});
    if (!quick)
      for (const int ranks : {8, 16}) cases.push_back({ranks, std::size_t{8} << 20});
    std::printf("%-*s %-22s", operation_width(), "operation", "algorithm");
    const std::array<Wrong, 6> wrongs = wrong_by(factor);
    for (const Wrong& wrong : wrongs) std::printf(" %9s", wrong.name.c_str());
    std::printf("\n");
    int beyond = 0;
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.build == nullptr || algorithm.on_demand) continue;
      if (!names.empty() && std::ranges::find(names, algorithm.name) == names.end()) continue;
      std::printf("%-*s %-22s", operation_width(), std::string(name(algorithm.operation)).c_str(),
                  algorithm.name.c_str());
      for (const Wrong& wrong : wrongs) {
        const double ratio = largest_ratio(algorithm, cases, wrong, learnt);
        beyond += most > 0.0 && ratio > most;
        std::printf(" %9.3f", ratio);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
    if (beyond > 0) std::fprintf(stderr, "wrong_costs: %d ratios are above %g\n", beyond, most);
    return beyond > 0 ? 1 : 0;
  });
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv);
}
