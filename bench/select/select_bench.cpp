// What a decision costs the leader: select() for patterns that leave it early, late, and in
// between, the price of mpi, and one simulation of each algorithm.

#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "collectives/cost/select.hpp"
#include "collectives/operation_row.hpp"

namespace pat {
namespace {

Problem problem_of(Operation operation, int ranks) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.units = (std::size_t{8} << 20) / static_cast<std::size_t>(ranks);
  return problem;
}

ArrivalPattern uniform(int ranks, double most_s, double half_width_s) {
  ArrivalPattern pattern = ArrivalPattern::flat(ranks);
  std::mt19937_64 random(1);
  for (double& offset : pattern.offset_s)
    offset = most_s * std::uniform_real_distribution<double>(0.0, 1.0)(random);
  pattern.half_width_s.assign(pattern.offset_s.size(), half_width_s);
  return pattern;
}

void decide(benchmark::State& state, Operation operation, double most_s, double half_width_s) {
  const Problem problem = problem_of(operation, static_cast<int>(state.range(0)));
  const ArrivalPattern pattern = uniform(problem.ranks, most_s, half_width_s);
  const MpiPrice price = price_mpi(problem, {});
  const std::vector<Candidate> candidates = candidates_for(problem);
  Selection selection;
  for (auto _ : state) selection = select(problem, pattern, {}, price, candidates);
  state.SetLabel(selection.reason);
}

/// A vector, or blocks, of 8 MiB in all over links of which it is known what leaves unasked.
void decide_in_pieces(benchmark::State& state, Operation operation) {
  Problem problem = problem_of(operation, static_cast<int>(state.range(0)));
  if (!row(operation).in_blocks()) problem.units = std::size_t{8} << 20;
  problem.cost = {25e-6, 8.5e-9, 0.1e-9, 65024};
  CostModel model = cost_model(problem.cost);
  model.eager_bytes = problem.cost.unasked_bytes;
  ArrivalPattern pattern = ArrivalPattern::flat(problem.ranks);
  pattern.offset_s.back() = 0.1;
  pattern.half_width_s.assign(pattern.offset_s.size(), 0.001);
  const MpiPrice price = price_mpi(problem, model);
  const std::vector<Candidate> candidates = candidates_for(problem);
  Selection selection;
  for (auto _ : state) selection = select(problem, pattern, model, price, candidates);
  state.SetLabel(selection.reason);
}

void price(benchmark::State& state, Operation operation) {
  const Problem problem = problem_of(operation, static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(price_mpi(problem, {}));
}

void simulate_one(benchmark::State& state, const Algorithm& algorithm) {
  const Problem problem = problem_of(algorithm.operation, static_cast<int>(state.range(0)));
  const ArrivalPattern pattern = uniform(problem.ranks, 0.05, 0.0);
  for (auto _ : state)
    benchmark::DoNotOptimize(simulate(build_schedule(algorithm, problem, pattern), pattern, {}));
}

const int registered = [] {
  for (const Operation operation : all_operations()) {
    if (row(operation).bound == nullptr) continue;
    const std::string prefix(name(operation));
    const auto add = [&](const char* what, double most_s, double half_width_s) {
      benchmark::RegisterBenchmark((prefix + "/select/" + what).c_str(), decide, operation, most_s,
                                   half_width_s)
          ->Arg(8)
          ->Arg(48)
          ->Arg(256)
          ->Unit(benchmark::kMicrosecond);
    };
    add("balanced", 0.0, 0.001);
    add("clear", 0.05, 0.001);
    add("unsure", 0.05, 0.5);
    benchmark::RegisterBenchmark((prefix + "/select/pieces").c_str(), decide_in_pieces, operation)
        ->Arg(16)
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark((prefix + "/price_mpi").c_str(), price, operation)
        ->Arg(8)
        ->Arg(48)
        ->Arg(256)
        ->Unit(benchmark::kMicrosecond);
  }
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.build == nullptr || row(algorithm.operation).bound == nullptr) continue;
    benchmark::RegisterBenchmark(
        (std::string(name(algorithm.operation)) + "/simulate/" + algorithm.name).c_str(),
        [&algorithm](benchmark::State& state) { simulate_one(state, algorithm); })
        ->Arg(48)
        ->Arg(256)
        ->Unit(benchmark::kMicrosecond);
  }
  return 0;
}();

}  // namespace
}  // namespace pat
