#include "tools/tune/rules.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace pat::tune {
namespace {

// The numbers are those of COLLTYPE in ompi/mca/coll/base/coll_base_functions.h.
constexpr Ruled table[] = {
    {"allgather", "allgather", 0, false}, {"allreduce", "allreduce", 2, false},
    {"alltoall", "alltoall", 3, false},   {"barrier", "barrier", 6, false},
    {"bcast", "bcast", 7, false},         {"gather", "gather", 9, true},
    {"reduce", "reduce", 11, false},      {"reduce-scatter", "reduce_scatter_block", 13, false},
    {"scatter", "scatter", 15, true},
};

double middle(std::size_t a, std::size_t b) {
  return std::sqrt(static_cast<double>(a) * static_cast<double>(b));
}

std::size_t first_of(const std::vector<Choice>& choices, std::size_t i) {
  const std::size_t bytes = choices[i].bytes;
  const double near = static_cast<double>(bytes) / std::numbers::sqrt2;
  return static_cast<std::size_t>(
      std::ceil(i == 0 ? near : std::max(near, middle(choices[i - 1].bytes, bytes))));
}

/// The first size for which choice `i` no longer holds.
std::size_t end_of(const std::vector<Choice>& choices, std::size_t i) {
  const std::size_t bytes = choices[i].bytes;
  const double near = static_cast<double>(bytes) * std::numbers::sqrt2;
  if (i + 1 == choices.size()) return static_cast<std::size_t>(std::ceil(near));
  if (choices[i + 1].way == choices[i].way) return first_of(choices, i + 1);
  return std::min(static_cast<std::size_t>(std::ceil(near)), first_of(choices, i + 1));
}

/// From so many bytes on it is to be this way; the last step may begin there already.
void add(std::vector<Step>& steps, std::size_t from_bytes, const Way& way) {
  if (!steps.empty() && steps.back().from_bytes == from_bytes) steps.pop_back();
  if (steps.empty() || steps.back().way != way) steps.push_back({from_bytes, way});
}

bool leaves_all(const OperationRules& rules) {
  return std::all_of(rules.steps.begin(), rules.steps.end(),
                     [](const Step& step) { return step.way.is_default(); });
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
  std::string text = std::to_string(rules.operation.id) + "  # " + rules.operation.operation +
                     "\n3  # sizes of communicators\n0" + left + std::to_string(ranks) + " " +
                     std::to_string(rules.steps.size()) + "  # processes: rules\n";
  for (const Step& step : rules.steps) text += line(step);
  return text + std::to_string(ranks + 1) + left;
}

}  // namespace

std::string text_of(const Way& way) {
  if (way.is_default()) return "the library's own decision";
  return way.segment_bytes == 0 ? way.name
                                : way.name + ", segments of " +
                                      format_bytes(static_cast<std::size_t>(way.segment_bytes));
}

const Ruled& ruled(const std::string& operation) {
  for (const Ruled& one : table)
    if (operation == one.operation) return one;
  const auto name = [](const Ruled& one) { return std::string(one.operation); };
  throw Error(ErrorKind::argument,
              "there are no rules for '" + operation + "', choose from " + join(table, ", ", name));
}

std::vector<Step> steps_of(std::vector<Choice> choices) {
  std::sort(choices.begin(), choices.end(),
            [](const Choice& a, const Choice& b) { return a.bytes < b.bytes; });
  std::vector<Step> steps = {{0, {}}};
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].way.is_default()) continue;
    add(steps, first_of(choices, i), choices[i].way);
    if (const std::size_t end = end_of(choices, i); end > 0) add(steps, end, {});
  }
  return steps;
}

std::vector<Step> one_step_of(std::span<const Choice> choices) {
  const bool alike = !choices.empty() &&
                     std::all_of(choices.begin(), choices.end(),
                                 [&](const Choice& one) { return one.way == choices.front().way; });
  return {{0, alike ? choices.front().way : Way{}}};
}

std::string rules_text(std::span<const OperationRules> all, int ranks, const std::string& remark) {
  std::string text = "# " + remark + "\n";
  const auto count = std::count_if(all.begin(), all.end(),
                                   [](const OperationRules& one) { return !leaves_all(one); });
  text += std::to_string(count) + "  # operations\n";
  for (const OperationRules& rules : all)
    if (!leaves_all(rules)) text += text_for(rules, ranks);
  return text;
}

}  // namespace pat::tune
