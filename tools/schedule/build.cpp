#include "tools/schedule/build.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "collectives/algorithm.hpp"
#include "collectives/check/hazards.hpp"
#include "collectives/check/rounds.hpp"
#include "collectives/check/verify.hpp"
#include "collectives/clairvoyant/rivals.hpp"
#include "collectives/links.hpp"
#include "tools/schedule/time_list.hpp"

namespace pat::schedule {
namespace {

ArrivalPattern pattern_of(const Request& request, int ranks, bool needed) {
  if (!request.arrivals.empty() && !request.arrivals_file.empty())
    throw usage("give --arrivals or --arrivals-file, not both");
  ArrivalPattern pattern;
  if (!request.arrivals_file.empty())
    pattern.offset_s = read_times(request.arrivals_file);
  else if (!request.arrivals.empty())
    pattern.offset_s = parse_times(request.arrivals, "--arrivals");
  else if (!needed)
    return ArrivalPattern::flat(ranks);
  else
    throw usage("'" + request.algorithm +
                "' follows the arrival times, give --arrivals or --arrivals-file");
  validate(pattern, ranks);
  return pattern;
}

int positive(const std::optional<int>& value, const std::string& what, int otherwise) {
  if (value && *value < 1)
    throw usage("the number of " + what + " is " + std::to_string(*value) + ", give at least 1");
  return value.value_or(otherwise);
}

Problem problem_of(const Request& request, const Algorithm& algorithm) {
  Problem problem;
  problem.operation = algorithm.operation;
  if (!request.ranks) throw usage("the number of processes is missing, give -P");
  problem.ranks = positive(request.ranks, "processes", 1);
  problem.segments = positive(request.segments, "segments", 0);
  problem.factors = request.factors;
  problem.root = request.root.value_or(0);
  if (problem.ranks > (1 << 20)) throw usage("more than 1048576 processes are not supported here");
  const long long count = request.count.value_or(std::max(4096, problem.segments));
  const long long bytes = request.type_bytes.value_or(8);
  if (bytes < 1 || bytes > (1 << 20))
    throw usage("--type-bytes is " + std::to_string(bytes) + ", give from 1 to 1048576");
  if (count > (1LL << 50) / bytes)
    throw usage("--count times --type-bytes is more than 2^50 bytes, give a smaller vector");
  problem.units = static_cast<std::size_t>(count);
  problem.unit_bytes = static_cast<std::size_t>(bytes);
  if (request.round_s && (!std::isfinite(*request.round_s) || *request.round_s <= 0.0))
    throw usage("--round-time is " + std::to_string(*request.round_s) +
                ", give a finite time above 0 seconds");
  problem.round_s = request.round_s.value_or(0.0);
  if (!request.cost.empty()) {
    const CostModel model = cost_of(request);
    problem.cost = {model.alpha_s, model.beta_s_per_byte, model.gamma_s_per_byte};
  }
  if (!request.unaware) problem.link_slowdown = cost_of(request).link_slowdown;
  validate(problem);
  return problem;
}

/// The variant, if one is given; an algorithm that has it says so when it chooses.
void set_variant(const Request& request, const Algorithm& algorithm, Problem& problem,
                 const ArrivalPattern& pattern) {
  if (!request.variant) return;
  problem.variant = *request.variant;
  if (algorithm.name == "clairvoyant" || algorithm.tune == nullptr || problem.variant < 0 ||
      algorithm.tune(problem, pattern).variant != problem.variant)
    throw usage("'" + algorithm.name + "' has no variant " + std::to_string(problem.variant) +
                " among " + std::to_string(problem.ranks) + " processes");
}

clairvoyant::Options options_of(const Request& request) {
  clairvoyant::Options options;
  if (!request.generator.empty())
    options.generate = clairvoyant::get_generator(request.generator).generate;
  if (!request.order.empty() && request.order != "best") {
    options.order = clairvoyant::find_order(request.order);
    if (!options.order)
      throw usage("there is no order named '" + request.order +
                  "', choose one of paper, latest-first, best");
  }
  if (!request.window.empty() && request.window != "closed" && request.window != "open")
    throw usage("there is no window named '" + request.window + "', choose closed or open");
  if (request.window == "open") options.window = clairvoyant::Window::open;
  return options;
}

}  // namespace

Built build(const Request& request) {
  const Operation operation = operation_of(request);
  if (request.algorithm.empty() && !request.ranks)
    throw usage("algorithm and number of processes are missing, give --alg and -P");
  if (request.algorithm.empty()) throw usage("the algorithm is missing, give --alg");
  const Algorithm& algorithm = get_algorithm(operation, request.algorithm);
  const bool planned = algorithm.name == "clairvoyant";
  if (!planned && (!request.generator.empty() || !request.order.empty() ||
                   !request.window.empty() || request.round_s))
    throw usage("--generator, --order, --window and --round-time belong to clairvoyant, '" +
                algorithm.name + "' has none");
  if (!request.factors.empty() && algorithm.name != "radix-k")
    throw usage("--factors belong to radix-k, '" + algorithm.name + "' has none");
  Problem problem = problem_of(request, algorithm);
  const ArrivalPattern pattern = pattern_of(request, problem.ranks, algorithm.uses_pattern);
  set_variant(request, algorithm, problem, pattern);
  if (!planned)
    return {problem, pattern, build_schedule(algorithm, problem, pattern), std::nullopt};
  clairvoyant::Plan plan =
      clairvoyant::plan(problem, behind_slow_links(problem, pattern), options_of(request));
  Schedule schedule = clairvoyant::to_schedule(problem, plan.list, plan.instance.segments);
  seal(schedule);
  return {problem, pattern, std::move(schedule), std::move(plan)};
}

void verify_all(const Built& built) {
  if (built.plan)
    if (const Verdict v = check::check_rounds(built.plan->instance, built.plan->list); !v)
      throw Error(ErrorKind::internal, v.problem);
  for (const Verdict& v : {verify(built.schedule), hazards(built.schedule)})
    if (!v) throw Error(ErrorKind::internal, v.problem);
}

}  // namespace pat::schedule
