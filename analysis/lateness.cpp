#include "analysis/lateness.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

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
  // Left as they end, so how long others waited is not known.
  if (trace.place_name(iteration).starts_with(no_call)) return until_s;
  for (std::size_t r = 0; r < row.size(); ++r) until_s[r] = std::clamp(left[r], row[r], until_s[r]);
  return until_s;
}

/// When the last rank had come to the iteration, and had left it if that is known.
double end_s(const Trace& trace, int iteration) {
  const double last_s = std::ranges::max(trace.row(iteration));
  const std::span<const double> left = left_s(trace, iteration);
  return left.empty() ? last_s : std::max(last_s, std::ranges::max(left));
}

/// The iterations in the order in which they began.
std::vector<int> by_start(const Trace& trace) {
  std::vector<int> order(static_cast<std::size_t>(trace.iterations()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](int i) { return trace.start_s[static_cast<std::size_t>(i)]; });
  return order;
}

/// How many of these spans of time, by their begin, last at once.
int at_once(std::vector<std::pair<double, double>> spans) {
  std::ranges::sort(spans);
  std::vector<double> ends;  // of those that last
  std::size_t most = 1;
  for (const auto& [from, until] : spans) {
    std::erase_if(ends, [begin = from](double end) { return end <= begin + resolution_s; });
    if (until > from) ends.push_back(until);
    most = std::max(most, ends.size());
  }
  return static_cast<int>(most);
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
  double until_s = -std::numeric_limits<double>::infinity();
  for (const int i : by_start(trace)) {
    const double last_s = trace.start_s[i] + end_s(trace, i);
    sum_s += std::max(0.0, last_s - std::max(until_s, trace.start_s[i]));
    until_s = std::max(until_s, last_s);
  }
  return sum_s;
}

int threads_in(const Trace& trace) {
  constexpr int most_asked = 8;  // ranks of a program have as many threads
  if (trace.start_s.empty() || trace.left_s.empty()) return 1;
  int most = 1;
  for (int r = 0; r < trace.ranks; r += 1 + (trace.ranks - 1) / most_asked) {
    std::vector<std::pair<double, double>> calls;
    for (int i = 0; i < trace.iterations(); ++i) {
      const double start_s = trace.start_s[static_cast<std::size_t>(i)];
      const auto rank = static_cast<std::size_t>(r);
      calls.emplace_back(start_s + trace.row(i)[rank], start_s + left_s(trace, i)[rank]);
    }
    most = std::max(most, at_once(std::move(calls)));
  }
  return most;
}

std::vector<double> in_messages_s(const Trace& trace) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  std::vector<double> waiting_s(trace.arrival_s.size());
  if (trace.start_s.empty() || trace.left_s.empty() || trace.computing_s.empty()) return waiting_s;
  std::vector<double> begins_s(ranks, -std::numeric_limits<double>::infinity());  // when last left
  for (const int i : by_start(trace)) {
    const double start_s = trace.start_s[static_cast<std::size_t>(i)];
    const std::span<const double> row = trace.row(i), left = left_s(trace, i);
    for (std::size_t r = 0; r < ranks; ++r) {
      const double computing_s = trace.computing(i, static_cast<int>(r));
      const double since_s = std::max(0.0, begins_s[r] - start_s);
      if (computing_s > 0.0)
        waiting_s[static_cast<std::size_t>(i) * ranks + r] =
            std::max(0.0, row[r] - since_s - computing_s);
      begins_s[r] = std::max(begins_s[r], start_s + left[r]);
    }
  }
  return waiting_s;
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
