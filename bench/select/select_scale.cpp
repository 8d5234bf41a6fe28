// What a decision among very many processes takes, and how good it is.
//
//   select_scale [--ranks P ...] [--operation NAME ...] [--times N] [--full] [--all]
//
// One line for each number of processes and operation: the time of the first decision, in which
// the ways are priced, and of a later one, each the median of --times, the slowest of all sizes and
// patterns. With --full each
// way is simulated process by process besides, and each line says how much longer the chosen way
// takes than the best one; --all prints each size and pattern, and each way.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "collectives/cost/reading.hpp"
#include "collectives/cost/select.hpp"
#include "collectives/operation_row.hpp"
#include "core/statistics.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

namespace {

using namespace pat;

const LinkCost links{30e-6, 8.5e-9, 0.25e-9};

struct Options {
  std::vector<int> ranks{256, 1024, 4096, 16384};
  std::vector<std::string> operations;
  std::vector<std::size_t> sizes{std::size_t{64} << 10, std::size_t{1} << 20,
                                 std::size_t{16} << 20};
  bool full = false, all = false;
  int times = 5;
};

struct Named {
  const char* name;
  ArrivalPattern pattern;
};

/// Those of the regret table (bench/regret), delays of `delay_s`, known to 5 % of it.
std::vector<Named> patterns_of(int ranks, double delay_s) {
  std::vector<Named> patterns;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(0.0, 1.0);
  const auto add = [&](const char* name, auto late) {
    ArrivalPattern pattern = ArrivalPattern::flat(ranks);
    for (int r = 0; r < ranks; ++r) pattern.offset_s[r] = delay_s * late(r);
    pattern.half_width_s.assign(pattern.offset_s.size(), 0.05 * delay_s);
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

Problem problem_of(Operation operation, int ranks, std::size_t bytes) {
  const OperationRow& about = row(operation);
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.unit_bytes = about.combines ? 8 : 1;
  problem.cost = links;
  const std::size_t block =
      about.in_blocks() ? std::max<std::size_t>(1, bytes / static_cast<std::size_t>(ranks)) : bytes;
  problem.units = about.has_bytes() ? block / problem.unit_bytes : 0;
  return problem;
}

/// Of the processor: others may use it too.
double used_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The forecast is read as auto does; every process is simulated, when it comes as drawn.
double full_s(const Candidate& one, Problem problem, const ArrivalPattern& forecast, double tick_s,
              const CostModel& model) {
  problem.segments = one.segments;
  if (one.window > 0) problem.window = one.window;
  return Planned(*one.algorithm, problem, forecast, in_ticks(forecast, tick_s), model,
                 problem.ranks)
      .run_time_s(perturbed(forecast, 9));
}

struct Row {
  double first_s = 0.0, later_s = 0.0, regret = 1.0;
};

void decide(const Problem& problem, const Named& named, const Options& options, Row& row) {
  const CostModel model = cost_model(links);
  std::vector<double> first_s, again_s;
  Prices prices;
  Selection choice;
  std::vector<Candidate> certain;
  for (int i = 0; i < options.times; ++i) {
    const double start_s = used_s();
    prices = price(problem, model, {});
    select(problem, named.pattern, model, prices.mpi, prices.candidates);
    const double middle_s = used_s();
    certain = prices.candidates;
    for (Candidate& one : certain) one.log_sd = 0.0;
    choice = select(problem, named.pattern, model, prices.mpi, certain);
    first_s.push_back(middle_s - start_s);
    again_s.push_back(used_s() - middle_s);
  }
  const double later_s = median(again_s);
  row.first_s = std::max(row.first_s, median(first_s));
  row.later_s = std::max(row.later_s, later_s);
  if (options.all)
    std::printf("  %8zu units %-10s %6.2f ms  %s\n", problem.units, named.name, 1e3 * later_s,
                choice.reason.c_str());
  if (!options.full) return;
  double best_s = 1e300, taken_s = 0.0;
  for (const Candidate& one : certain) {
    const double tick = tick_s(one.reading, named.pattern);
    const double time_s = full_s(one, problem, named.pattern, tick, model);
    const double start_s = used_s();
    const double small_s =
        Planned(*one.algorithm, problem, named.pattern, in_ticks(named.pattern, tick), model)
            .run_time_s(perturbed(named.pattern, 9));
    const double took_s = used_s() - start_s;
    best_s = std::min(best_s, time_s);
    const bool taken = one.algorithm == choice.algorithm && tick == choice.tick_s &&
                       (one.window > 0 ? one.window : problem.window) == choice.window;
    if (taken) taken_s = time_s;
    if (options.all)
      std::printf(
          "    %-24s w%d r%d full %9.3f ms, sampled %5.3f of it, formula %.3f, in %.0f us%s\n",
          one.algorithm->name.c_str(), one.window, static_cast<int>(one.reading), 1e3 * time_s,
          small_s / time_s, formula_s(*one.algorithm, problem, model) / time_s, 1e6 * took_s,
          taken ? " <- taken" : "");
  }
  // mpi is priced as the best one for equal arrivals.
  Candidate stand_in{.algorithm = prices.mpi.stand_in,
                     .segments = prices.mpi.segments,
                     .window = prices.mpi.window};
  const double mpi_s =
      full_s(stand_in, problem, named.pattern, 0.0, corrected(model, prices.mpi.correction));
  if (taken_s == 0.0) taken_s = mpi_s;
  best_s = std::min(best_s, mpi_s);
  if (options.all)
    std::printf("    mpi by %s full %.3f ms x%.2f, taken over best %.3f\n",
                prices.mpi.stand_in->name.c_str(), 1e3 * mpi_s, prices.mpi.correction,
                taken_s / best_s);
  row.regret = std::max(row.regret, taken_s / best_s);
}

void table(const Options& options) {
  std::printf("%-*s %6s %10s %10s%s\n", operation_width(), "operation", "ranks", "first", "later",
              options.full ? "  taken over best" : "");
  for (const Operation operation : all_operations()) {
    const std::string label(name(operation));
    if (!options.operations.empty() &&
        std::find(options.operations.begin(), options.operations.end(), label) ==
            options.operations.end())
      continue;
    for (const int ranks : options.ranks) {
      Row row;
      for (const std::size_t bytes : options.sizes) {
        const double delay_s = 2.0 * static_cast<double>(bytes) * links.beta_s_per_byte;
        for (const Named& named : patterns_of(ranks, delay_s))
          decide(problem_of(operation, ranks, bytes), named, options, row);
      }
      std::printf("%-*s %6d %7.2f ms %7.2f ms", operation_width(), label.c_str(), ranks,
                  1e3 * row.first_s, 1e3 * row.later_s);
      if (options.full) std::printf("  %.3f", row.regret);
      std::printf("\n");
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("What a decision among very many processes takes, and how good it is",
               "select_scale");
  pat::measure::HelpFormatter::use(app);
  app.add_option("--ranks", options.ranks, "Numbers of processes");
  app.add_option("--operation", options.operations, "Operations; all without");
  pat::measure::takes_bytes(app.add_option(
      "--bytes", options.sizes, "Sizes in all, bytes or such as 64k; of a vector its own"));
  app.add_option("--times", options.times, "How often each decision is made")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--full", options.full, "Simulate each way process by process besides");
  app.add_flag("--all", options.all, "Print each size and pattern");
  return pat::measure::run_program(app, argc, argv, [&] {
    table(options);
    return 0;
  });
}
