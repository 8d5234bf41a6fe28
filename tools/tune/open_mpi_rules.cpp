#include "tools/tune/open_mpi_rules.hpp"

#include <algorithm>
#include <utility>

#include "core/units.hpp"

namespace pat::tune {
namespace {

/// An operation's number in a file of rules: COLLTYPE in ompi/mca/coll/base/coll_base_functions.h.
int number_of(const std::string& operation) {
  constexpr std::pair<const char*, int> numbers[] = {
      {"allgather", 0}, {"allreduce", 2}, {"alltoall", 3},        {"barrier", 6}, {"bcast", 7},
      {"gather", 9},    {"reduce", 11},   {"reduce-scatter", 13}, {"scatter", 15}};
  for (const auto& [name, number] : numbers)
    if (operation == name) return number;
  return -1;
}

std::string line(const Step& step) {
  const Way& way = step.way;
  const std::string numbers = std::to_string(step.from_bytes) + " " +
                              std::to_string(way.algorithm) + " " + std::to_string(way.fanout) +
                              " " + std::to_string(way.segment_bytes);
  return numbers + "  # from " + format_bytes(step.from_bytes) + ": " + text_of(way) + "\n";
}

std::string text_for(const OperationRules& rules, int ranks) {
  const std::string left = " 1  # processes and more: one rule\n0 0 0 0\n";
  std::string text = std::to_string(number_of(rules.operation)) + "  # " + rules.operation +
                     "\n3  # sizes of communicators\n0" + left + std::to_string(ranks) + " " +
                     std::to_string(rules.steps.size()) + "  # processes: rules\n";
  for (const Step& step : rules.steps) text += line(step);
  return text + std::to_string(ranks + 1) + left;
}

}  // namespace

std::string open_mpi_rules(std::span<const OperationRules> all, int ranks,
                           const std::string& remark) {
  std::string text = "# " + remark + "\n";
  const auto count = std::count_if(all.begin(), all.end(),
                                   [](const OperationRules& one) { return !one.leaves_all(); });
  text += std::to_string(count) + "  # operations\n";
  for (const OperationRules& rules : all)
    if (!rules.leaves_all()) text += text_for(rules, ranks);
  return text;
}

}  // namespace pat::tune
