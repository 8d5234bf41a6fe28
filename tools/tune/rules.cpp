#include "tools/tune/rules.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace pat::tune {
namespace {

constexpr Ruled table[] = {
    {"allgather", "allgather", false}, {"allreduce", "allreduce", false},
    {"alltoall", "alltoall", false},   {"barrier", "barrier", false},
    {"bcast", "bcast", false},         {"gather", "gather", true},
    {"reduce", "reduce", false},       {"reduce-scatter", "reduce_scatter_block", false},
    {"scatter", "scatter", true},
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

bool OperationRules::leaves_all() const {
  return std::all_of(steps.begin(), steps.end(),
                     [](const Step& step) { return step.way.is_default(); });
}

}  // namespace pat::tune
