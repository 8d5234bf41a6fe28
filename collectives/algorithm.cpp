#include "collectives/algorithm.hpp"

#include <algorithm>

#include "collectives/links.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/patterns/exchanges.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat {
namespace {

[[noreturn]] void refuse_unknown(Operation operation, std::string_view wanted,
                                 const std::string& names) {
  throw Error(ErrorKind::argument, "there is no " + std::string(name(operation)) +
                                       " algorithm named '" + std::string(wanted) +
                                       "', choose one of " + names);
}

}  // namespace

const Algorithm* find_algorithm(Operation operation, std::string_view name) {
  if (name.empty()) return nullptr;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.operation == operation && (algorithm.name == name || algorithm.also == name))
      return &algorithm;
  return nullptr;
}

bool follows_arrivals(Operation operation) {
  return std::any_of(algorithms().begin(), algorithms().end(), [&](const Algorithm& one) {
    return one.operation == operation && one.uses_pattern;
  });
}

std::string algorithm_names(Operation operation) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.operation == operation) names.push_back(algorithm.name);
  return join(names, ", ");
}

const Algorithm& get_algorithm(Operation operation, std::string_view wanted) {
  if (const Algorithm* algorithm = find_algorithm(operation, wanted)) return *algorithm;
  refuse_unknown(operation, wanted, algorithm_names(operation));
}

const Algorithm* algorithm_or_auto(Operation operation, std::string_view wanted) {
  if (wanted == "auto") return nullptr;
  if (const Algorithm* algorithm = find_algorithm(operation, wanted)) return algorithm;
  refuse_unknown(operation, wanted, "auto, " + algorithm_names(operation));
}

Schedule build_schedule(const Algorithm& algorithm, const Problem& problem,
                        const ArrivalPattern& pattern) {
  validate(problem);
  validate(pattern, problem.ranks);
  if (algorithm.build == nullptr)
    throw Error(ErrorKind::argument, "'" + algorithm.name + "' for " +
                                         std::string(name(problem.operation)) +
                                         " is not a schedule, it only runs under MPI");
  if (algorithm.needs_commutative && !problem.commutative)
    throw Error(ErrorKind::operation, "'" + algorithm.name +
                                          "' reorders operands, choose an algorithm that keeps "
                                          "their order for an operation that does not commute");
  if (algorithm.needs_all_counts && problem.varies() && row(problem.operation).all_to_all())
    throw Error(ErrorKind::count, "'" + algorithm.name +
                                      "' needs blocks of one length, choose an algorithm that "
                                      "exchanges each pair's straight");
  Schedule schedule = algorithm.build(problem, behind_slow_links(problem, pattern));
  cut_exchanges(schedule);
  seal(schedule);
  return schedule;
}

}  // namespace pat
