#include "tools/study/gain.hpp"

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/call_name.hpp"
#include "collectives/cost/select.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat::study {
namespace {

Problem problem_of(const GainOptions& options, int ranks) {
  Problem problem;
  problem.operation = options.operation;
  problem.ranks = ranks;
  problem.root = options.root;
  problem.unit_bytes = row(options.operation).combines && options.bytes % 4 == 0 ? 4 : 1;
  problem.units = options.bytes / problem.unit_bytes;
  const std::size_t most = std::max<std::size_t>(1, problem.units);  // an empty segment is none
  problem.segments = static_cast<int>(std::min<std::size_t>(options.segments, most));
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

/// Half the 90 % interval of each rank.
std::vector<double> half_widths(std::span<const double> lower_s, std::span<const double> upper_s) {
  std::vector<double> half_s(lower_s.size());
  for (std::size_t r = 0; r < half_s.size(); ++r) half_s[r] = 0.5 * (upper_s[r] - lower_s[r]);
  return half_s;
}

}  // namespace

void choose_call(GainOptions& options, const std::optional<Operation>& operation,
                 const std::optional<std::size_t>& bytes, const Trace& trace) {
  const auto recorded = parse_call_name(trace.region);
  const auto told = operation ? operation : operation_of_place(trace.region);
  options.operation_told = told.has_value();
  options.operation = told.value_or(Operation::reduce);
  if (recorded && recorded->root < trace.ranks) options.root = recorded->root;
  const bool is_recorded = recorded && recorded->operation == options.operation;
  const auto size = bytes || !is_recorded ? bytes : recorded->block_bytes;
  options.bytes_told = size.has_value() || !row(options.operation).has_bytes();
  options.bytes = size.value_or(options.bytes);
  if (!row(options.operation).has_bytes()) options.bytes = 0;
}

std::string operations_to_study() {
  return operation_names_where([](const OperationRow& one) { return !one.study->informed.empty(); },
                               " or ");
}

std::string studied_algorithms(std::string_view StudiedPair::*which) {
  std::vector<std::string_view> names;
  for (const OperationRow& one : operation_rows())
    if (!one.study->informed.empty())
      names.push_back(static_cast<const StudiedPair&>(one.study).*which);
  return listed(names, " or ");
}

void choose_algorithms(GainOptions& options, int ranks) {
  const StudiedPair& study = row(options.operation).study;
  if (options.algorithm.empty()) options.algorithm = study.informed;
  if (options.against.empty() && options.operation_told && options.bytes_told) {
    const MpiPrice price = price_mpi(problem_of(options, ranks), options.model);
    options.against = price.stand_in->name;
    options.against_segments = price.segments;
  }
  if (options.against.empty()) options.against = study.plain;
  if (options.algorithm.empty())
    throw Error(ErrorKind::argument, "no " + std::string(name(options.operation)) +
                                         " follows the arrivals, choose " + operations_to_study() +
                                         " with --operation, or forecasts alone with --no-gain");
  for (const std::string& one : {options.algorithm, options.against})
    get_algorithm(options.operation, one);  // refused here, before the forecasts are made
}

Gain gain(const Trace& trace, const Replay& replay, int skip, const GainOptions& options,
          const Progress& progress) {
  const Problem problem = problem_of(options, trace.ranks);
  Problem plain_problem = problem;
  if (options.against_segments > 0) plain_problem.segments = options.against_segments;
  const Algorithm& informed = get_algorithm(options.operation, options.algorithm);
  const Algorithm& plain = get_algorithm(options.operation, options.against);
  const ArrivalPattern flat = ArrivalPattern::flat(trace.ranks);
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  MpiPrice price;
  price.stand_in = &plain;
  price.segments = plain_problem.segments;
  const Schedule without = build_schedule(plain, plain_problem, flat);
  price.flat_s = simulate(without, flat, options.model).run_time_s();
  const auto acts_on = [&](const ArrivalPattern& forecast) {
    if (!options.only_if_sure) return true;
    const Selection chosen = select(problem, forecast, options.model, price,
                                    {{.algorithm = &informed, .segments = problem.segments}});
    return chosen.algorithm == &informed;
  };
  Gain sum;
  double count = 0.0;
  for (int i = skip; i < trace.iterations(); ++i) {
    const std::size_t begin = static_cast<std::size_t>(i) * ranks;
    const std::span known = std::span(replay.known).subspan(begin, ranks);
    if (std::count(known.begin(), known.end(), 0) > 0) continue;
    const ArrivalPattern truth = pattern_of(trace.row(i));
    ArrivalPattern forecast = pattern_of(std::span(replay.arrival_s).subspan(begin, ranks));
    forecast.half_width_s = half_widths(std::span(replay.lower_s).subspan(begin, ranks),
                                        std::span(replay.upper_s).subspan(begin, ranks));
    const auto run_time_s = [&](const Schedule& schedule) {
      return simulate(schedule, truth, options.model).run_time_s();
    };
    const bool act = acts_on(forecast);
    const double against_s = run_time_s(without);
    sum.against_s += against_s;
    sum.forecast_s += act ? run_time_s(build_schedule(informed, problem, forecast)) : against_s;
    sum.perfect_s += run_time_s(build_schedule(informed, problem, truth));
    sum.taken += act;
    count += 1.0;
    if (progress)
      progress(static_cast<std::size_t>(i), static_cast<std::size_t>(trace.iterations()));
  }
  count = std::max(1.0, count);
  return {sum.against_s / count, sum.forecast_s / count, sum.perfect_s / count, sum.taken / count};
}

}  // namespace pat::study
