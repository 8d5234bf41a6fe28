#include "core/arrival_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/errors.hpp"

namespace pat {

void validate(const ArrivalPattern& pattern, int ranks) {
  if (pattern.ranks() != ranks)
    throw Error(ErrorKind::argument, "the arrival pattern has " + std::to_string(pattern.ranks()) +
                                         " times, give one for each of the " +
                                         std::to_string(ranks) + " ranks");
  for (int r = 0; r < ranks; ++r) {
    const double offset = pattern.offset_s[r];
    if (!std::isfinite(offset) || offset < 0.0)
      throw Error(ErrorKind::argument, "the arrival time of rank " + std::to_string(r) + " is " +
                                           std::to_string(offset) +
                                           ", give a finite time of at least 0 seconds");
  }
}

std::vector<int> arrival_order(const ArrivalPattern& pattern, double together_s) {
  std::vector<int> order(pattern.offset_s.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return pattern.offset_s[a] < pattern.offset_s[b]; });
  for (auto first = order.begin(); together_s > 0.0 && first != order.end();) {
    const double until_s = pattern.offset_s[*first] + together_s;
    const auto next =
        std::find_if(first, order.end(), [&](int r) { return pattern.offset_s[r] > until_s; });
    std::sort(first, next);
    first = next;
  }
  return order;
}

double absolute_imbalance_s(const ArrivalPattern& pattern) {
  if (pattern.offset_s.empty()) return 0.0;
  const auto [low, high] = std::minmax_element(pattern.offset_s.begin(), pattern.offset_s.end());
  return *high - *low;
}

}  // namespace pat
