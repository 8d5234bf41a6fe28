#include "tools/study/gain.hpp"

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "core/errors.hpp"

namespace pat::study {
namespace {

Problem problem_of(const GainOptions& options, int ranks) {
  Problem problem;
  problem.operation = options.operation;
  problem.ranks = ranks;
  problem.root = options.root;
  problem.segments = options.segments;
  const bool combines =
      options.operation == Operation::reduce || options.operation == Operation::allreduce;
  problem.unit_bytes = combines ? 4 : 1;
  problem.units = options.bytes / problem.unit_bytes;
  problem.cost = {options.model.alpha_s, options.model.beta_s_per_byte,
                  options.model.gamma_s_per_byte};
  validate(problem);
  return problem;
}

ArrivalPattern pattern_of(std::span<const double> times_s) {
  ArrivalPattern pattern{{times_s.begin(), times_s.end()}, {}, 0};
  const double first_s = *std::min_element(times_s.begin(), times_s.end());
  for (double& offset_s : pattern.offset_s) offset_s -= first_s;
  return pattern;
}

}  // namespace

Gain gain(const Trace& trace, const Replay& replay, int skip, const GainOptions& options,
          const Progress& progress) {
  const Problem problem = problem_of(options, trace.ranks);
  const Algorithm& informed = get_algorithm(options.operation, options.algorithm);
  const Algorithm& plain = get_algorithm(options.operation, options.against);
  const ArrivalPattern flat = ArrivalPattern::flat(trace.ranks);
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  Gain sum;
  double count = 0.0;
  for (int i = skip; i < trace.iterations(); ++i) {
    const std::size_t begin = static_cast<std::size_t>(i) * ranks;
    const std::span known = std::span(replay.known).subspan(begin, ranks);
    if (std::count(known.begin(), known.end(), 0) > 0) continue;
    const ArrivalPattern truth = pattern_of(trace.row(i));
    const ArrivalPattern forecast = pattern_of(std::span(replay.arrival_s).subspan(begin, ranks));
    const auto run_time_s = [&](const Schedule& schedule) {
      return simulate(schedule, truth, options.model).run_time_s();
    };
    sum.against_s += run_time_s(build_schedule(plain, problem, flat));
    sum.forecast_s += run_time_s(build_schedule(informed, problem, forecast));
    sum.perfect_s += run_time_s(build_schedule(informed, problem, truth));
    count += 1.0;
    if (progress)
      progress(static_cast<std::size_t>(i), static_cast<std::size_t>(trace.iterations()));
  }
  count = std::max(1.0, count);
  return {sum.against_s / count, sum.forecast_s / count, sum.perfect_s / count};
}

}  // namespace pat::study
