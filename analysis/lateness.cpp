#include "analysis/lateness.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/statistics.hpp"

namespace pat {
namespace {

constexpr double resolution_s = 0.5e-9;  // traces hold nanoseconds

/// When each rank left the call of the iteration; empty: not known.
std::span<const double> left_s(const Trace& trace, int iteration) {
  if (trace.left_s.empty()) return {};
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  return std::span(trace.left_s).subspan(static_cast<std::size_t>(iteration) * ranks, ranks);
}

/// When each rank ceases to wait in the iteration for who is late.
std::vector<double> waits_until_s(const Trace& trace, int iteration) {
  const std::span<const double> row = trace.row(iteration);
  std::vector<double> until_s(row.size(), std::ranges::max(row));
  const std::span<const double> left = left_s(trace, iteration);
  if (left.empty()) return until_s;
  // Phases that no call of PAT's followed are left as they end: how long others waited is not
  // known.
  const bool is_call = !std::ranges::equal(
      left, row, [](double left_at, double arrival) { return left_at - arrival < resolution_s; });
  if (!is_call) return until_s;
  for (std::size_t r = 0; r < row.size(); ++r) until_s[r] = std::clamp(left[r], row[r], until_s[r]);
  return until_s;
}

/// When the last rank had come to the iteration, and had left it if that is known.
double end_s(const Trace& trace, int iteration) {
  const double last_s = std::ranges::max(trace.row(iteration));
  const std::span<const double> left = left_s(trace, iteration);
  return left.empty() ? last_s : std::max(last_s, std::ranges::max(left));
}

}  // namespace

void charge(std::span<const double> arrival_s, std::span<const double> waits_until_s,
            std::span<double> charged_s) {
  const std::size_t ranks = arrival_s.size();
  std::vector<std::size_t> order(ranks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t rank) { return arrival_s[rank]; });
  std::vector<double> leaves(waits_until_s.begin(), waits_until_s.end());
  std::ranges::sort(leaves);
  double share_s = 0.0;  // of whoever has not come yet, so far
  std::size_t gone = 0;
  for (std::size_t k = 1; k < ranks; ++k) {
    double now_s = arrival_s[order[k - 1]], waited_s = 0.0;
    const double next_s = arrival_s[order[k]];
    for (; gone < k && leaves[gone] < next_s; ++gone) {
      const double until_s = std::max(now_s, leaves[gone]);
      waited_s += static_cast<double>(k - gone) * (until_s - now_s);
      now_s = until_s;
    }
    waited_s += static_cast<double>(k - gone) * (next_s - now_s);
    share_s += waited_s / static_cast<double>(ranks - k);
    charged_s[order[k]] += share_s;
  }
}

Lateness lateness_of(const Trace& trace) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  Lateness all{std::vector<double>(ranks), std::vector<double>(ranks), std::vector<double>(ranks),
               std::vector<int>(ranks)};
  for (int i = 0; i < trace.iterations(); ++i) {
    const std::span<const double> row = trace.row(i);
    const std::vector<double> until_s = waits_until_s(trace, i);
    const auto [first, last] = std::minmax_element(row.begin(), row.end());
    all.elapsed_s += *last;
    charge(row, until_s, all.charged_s);
    for (std::size_t r = 0; r < ranks; ++r) {
      all.computing_s[r] += trace.computing(i, static_cast<int>(r));
      all.waited_s[r] += until_s[r] - row[r];
      all.skew_s += until_s[r] - row[r];
      all.times_last[r] += *last - *first > resolution_s && *last - row[r] < resolution_s;
    }
  }
  return all;
}

double elapsed_s(const Trace& trace) {
  double sum_s = 0.0;
  if (trace.start_s.empty()) {
    for (int i = 0; i < trace.iterations(); ++i) sum_s += end_s(trace, i);
    return sum_s;
  }
  std::vector<int> order(static_cast<std::size_t>(trace.iterations()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int i) { return trace.start_s[i]; });
  double until_s = -std::numeric_limits<double>::infinity();
  for (const int i : order) {
    const double last_s = trace.start_s[i] + end_s(trace, i);
    sum_s += std::max(0.0, last_s - std::max(until_s, trace.start_s[i]));
    until_s = std::max(until_s, last_s);
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
