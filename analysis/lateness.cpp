#include "analysis/lateness.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/statistics.hpp"

namespace pat {

void charge(std::span<const double> arrival_s, std::span<double> charged_s) {
  const std::size_t ranks = arrival_s.size();
  std::vector<std::size_t> order(ranks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return arrival_s[a] < arrival_s[b]; });
  double share_s = 0.0;  // of whoever has not come yet, so far
  for (std::size_t k = 0; k < ranks; ++k) {
    if (k > 0)
      share_s += static_cast<double>(k) * (arrival_s[order[k]] - arrival_s[order[k - 1]]) /
                 static_cast<double>(ranks - k);
    charged_s[order[k]] += share_s;
  }
}

Lateness lateness_of(const Trace& trace) {
  constexpr double resolution_s = 0.5e-9;  // traces hold nanoseconds
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  Lateness all{std::vector<double>(ranks), std::vector<double>(ranks), std::vector<double>(ranks),
               std::vector<int>(ranks)};
  for (int i = 0; i < trace.iterations(); ++i) {
    const std::span<const double> row = trace.row(i);
    const auto [first, last] = std::minmax_element(row.begin(), row.end());
    all.elapsed_s += *last;
    charge(row, all.charged_s);
    for (std::size_t r = 0; r < ranks; ++r) {
      all.computing_s[r] += trace.computing(i, static_cast<int>(r));
      all.waited_s[r] += *last - row[r];
      all.skew_s += *last - row[r];
      all.times_last[r] += *last - *first > resolution_s && *last - row[r] < resolution_s;
    }
  }
  return all;
}

double elapsed_s(const Trace& trace) {
  if (trace.start_s.empty()) {
    double sum_s = 0.0;
    for (int i = 0; i < trace.iterations(); ++i) sum_s += std::ranges::max(trace.row(i));
    return sum_s;
  }
  std::vector<int> order(static_cast<std::size_t>(trace.iterations()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int i) { return trace.start_s[i]; });
  double sum_s = 0.0, end_s = -std::numeric_limits<double>::infinity();
  for (const int i : order) {
    const double last_s = trace.start_s[i] + std::ranges::max(trace.row(i));
    sum_s += std::max(0.0, last_s - std::max(end_s, trace.start_s[i]));
    end_s = std::max(end_s, last_s);
  }
  return sum_s;
}

Efficiency efficiency_of(std::span<const double> computing_s, double elapsed_s) {
  const double longest = computing_s.empty() ? 0.0 : *std::ranges::max_element(computing_s);
  if (!(longest > 0.0)) return {};
  Efficiency found;
  found.load_balance = mean(computing_s) / longest;
  // Clocks are compared to some microseconds, so computing may seem longer than the time it took.
  found.communication = elapsed_s > longest ? longest / elapsed_s : 1.0;
  found.parallel = found.load_balance * found.communication;
  return found;
}

}  // namespace pat
