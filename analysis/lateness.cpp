#include "analysis/lateness.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
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

/// Whether phases there begin when the call before is left, as under `pat run`: their regions are
/// called as the call that ends them and where it stands. What else a program calls a phase may
/// begin later, and what it does before nobody knows.
bool begins_at_once(std::string_view place) {
  const std::string region =
      ", after region " + std::string(place.substr(0, place.find(','))) + " at ";
  return place.find(region) != std::string_view::npos;
}

/// The places of the values, the least first.
std::vector<std::size_t> in_order(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
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

/// What the calls in which the rank was latest made of its charge: at most a twentieth of them, and
/// those alone that come near the largest.
void add_few(std::vector<double> charges, std::size_t rank, Lateness& all) {
  if (charges.empty()) return;
  constexpr double near = 0.1;
  const auto largest = std::ranges::max_element(charges);
  all.most_in[rank] = static_cast<int>(largest - charges.begin());
  const double least = near * *largest;
  const std::size_t most = std::max<std::size_t>(1, charges.size() / 20);
  std::ranges::nth_element(charges, charges.begin() + static_cast<std::ptrdiff_t>(most - 1),
                           std::greater());
  for (std::size_t i = 0; i < most; ++i)
    if (charges[i] > 0.0 && charges[i] >= least) {
      ++all.few[rank];
      all.few_s[rank] += charges[i];
    }
}

}  // namespace

void charge(const CallTimes& call, std::span<double> charged_s) {
  const std::size_t ranks = call.arrival_s.size();
  const std::vector<std::size_t> ceasing = in_order(call.works_until_s),
                                 coming = in_order(call.arrival_s);
  std::vector<double> leaving(call.waits_until_s.begin(), call.waits_until_s.end());
  std::ranges::sort(leaving);
  double of_work_s = 0.0, of_absence_s = 0.0;  // what each is charged that still works, is absent
  double now_s = call.arrival_s[coming[0]];
  std::size_t ceased = 0, come = 0, left = 0;
  while (come < ranks) {
    double next_s = call.arrival_s[coming[come]];
    if (ceased < ranks) next_s = std::min(next_s, call.works_until_s[ceasing[ceased]]);
    if (left < come) next_s = std::min(next_s, leaving[left]);
    next_s = std::max(next_s, now_s);
    const double waited_s = static_cast<double>(come - left) * (next_s - now_s);
    if (ceased < ranks)
      of_work_s += waited_s / static_cast<double>(ranks - ceased);
    else
      of_absence_s += waited_s / static_cast<double>(ranks - come);
    now_s = next_s;
    while (ceased < ranks && call.works_until_s[ceasing[ceased]] <= now_s)
      charged_s[ceasing[ceased++]] += of_work_s;
    while (come < ranks && call.arrival_s[coming[come]] <= now_s)
      charged_s[coming[come++]] += of_absence_s;
    while (left < come && leaving[left] <= now_s) ++left;
  }
}

Lateness lateness_of(const Trace& trace, std::span<const double> waiting_s) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  Lateness all{std::vector<double>(ranks), std::vector<double>(ranks), std::vector<double>(ranks),
               std::vector<int>(ranks),    std::vector<int>(ranks),    std::vector<int>(ranks),
               std::vector<double>(ranks)};
  std::vector<std::vector<double>> charges(ranks);  // one an iteration
  for (int i = 0; i < trace.iterations(); ++i) {
    const std::span<const double> row = trace.row(i);
    const std::vector<double> until_s = waits_until_s(trace, i);
    const auto [first, last] = std::minmax_element(row.begin(), row.end());
    all.elapsed_s += *last;
    std::vector<double> works_until_s(row.begin(), row.end());
    for (std::size_t r = 0; r < ranks && !waiting_s.empty(); ++r)
      works_until_s[r] -= waiting_s[static_cast<std::size_t>(i) * ranks + r];
    std::vector<double> charged_s(ranks);
    charge({works_until_s, row, until_s}, charged_s);
    for (std::size_t r = 0; r < ranks; ++r) {
      all.charged_s[r] += charged_s[r];
      charges[r].push_back(charged_s[r]);
      all.computing_s[r] += trace.computing(i, static_cast<int>(r));
      all.waited_s[r] += until_s[r] - row[r];
      all.skew_s += until_s[r] - row[r];
      all.times_last[r] += *last - *first > resolution_s && *last - row[r] < resolution_s;
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) add_few(std::move(charges[r]), r, all);
  return all;
}

double elapsed_s(const Trace& trace) {
  double sum_s = 0.0;
  if (trace.start_s.empty()) {
    for (int i = 0; i < trace.iterations(); ++i) sum_s += end_s(trace, i);
    return sum_s;
  }
  double until_s = -std::numeric_limits<double>::infinity();
  for (const std::size_t i : in_order(trace.start_s)) {
    const double last_s = trace.start_s[i] + end_s(trace, static_cast<int>(i));
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
  if (trace.start_s.empty() || trace.left_s.empty() || trace.computing_s.empty()) return {};
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  std::vector<double> waiting_s(trace.arrival_s.size());
  bool is_known = false;
  std::vector<double> begins_s(ranks, -std::numeric_limits<double>::infinity());  // when last left
  for (const std::size_t i : in_order(trace.start_s)) {
    const double start_s = trace.start_s[i];
    const std::span<const double> row = trace.row(static_cast<int>(i)),
                                  left = left_s(trace, static_cast<int>(i));
    const bool tells = begins_at_once(trace.place_name(static_cast<int>(i)));
    is_known |= tells;
    for (std::size_t r = 0; r < ranks; ++r) {
      const double computing_s = trace.computing(static_cast<int>(i), static_cast<int>(r));
      const double since_s = std::max(0.0, begins_s[r] - start_s);
      if (tells && computing_s > 0.0)
        waiting_s[i * ranks + r] = std::max(0.0, row[r] - since_s - computing_s);
      begins_s[r] = std::max(begins_s[r], start_s + left[r]);
    }
  }
  return is_known ? waiting_s : std::vector<double>();
}

std::vector<double> kept_s(const Trace& trace, std::span<const double> waiting_s) {
  if (trace.start_s.empty() || trace.left_s.empty() || trace.computing_s.empty()) return {};
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  std::vector<double> kept(trace.arrival_s.size());
  struct Call {
    double came_s, left_s, worked_until_s;
  };
  constexpr double never = -std::numeric_limits<double>::infinity();
  std::vector<Call> before(ranks, {never, never, never});
  for (const std::size_t i : in_order(trace.start_s)) {
    const std::span<const double> row = trace.row(static_cast<int>(i)),
                                  left = left_s(trace, static_cast<int>(i));
    for (std::size_t r = 0; r < ranks; ++r) {
      Call& last = before[r];
      const double came_s = trace.start_s[i] + row[r];
      const double between_s = came_s - last.left_s;
      const bool straight = trace.computing(static_cast<int>(i), static_cast<int>(r)) == 0.0 &&
                            between_s > -resolution_s && between_s < last.left_s - last.came_s;
      if (straight) kept[i * ranks + r] = came_s - last.worked_until_s;
      const double waited_s = waiting_s.empty() ? 0.0 : waiting_s[i * ranks + r];
      last = {came_s, trace.start_s[i] + left[r],
              straight ? last.worked_until_s : came_s - waited_s};
    }
  }
  return kept;
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
