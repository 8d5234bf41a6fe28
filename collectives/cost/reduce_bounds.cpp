#include "collectives/cost/reduce_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "collectives/patterns/power_of_two.hpp"

namespace pat::check {
namespace {

using clairvoyant::Instance;
using clairvoyant::Window;

/// Whole rounds from (tick, part) to the end, rounded down.
std::int64_t whole_rounds(const RoundEnd& end, std::uint32_t tick, std::uint32_t part) {
  return static_cast<std::int64_t>(end.tick) - static_cast<std::int64_t>(tick) -
         (part > end.part ? 1 : 0);
}

/// In how many rounds before `end` a process may take part.
std::int64_t rounds_left(const Instance& instance, const RoundEnd& end, int process) {
  const std::int64_t whole = whole_rounds(end, instance.tick[process], instance.part[process]);
  const bool more = instance.order == clairvoyant::Order::paper &&
                    (instance.window == Window::closed || instance.part[process] != end.part);
  return whole + (more ? 1 : 0);
}

/// Whether the depths, as many as there are processes, are those of a binary tree.
bool make_a_tree(std::vector<std::int64_t> depths) {
  std::sort(depths.begin(), depths.end(), std::greater<>());
  if (depths.back() < 1) return depths.size() == 1 && depths.back() == 0;
  std::uint64_t nodes = 0;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    ++nodes;
    const std::int64_t up = depths[i] - (i + 1 < depths.size() ? depths[i + 1] : 0);
    for (std::int64_t level = 0; level < up && nodes > 1; ++level) nodes = (nodes + 1) / 2;
  }
  return nodes == 1;
}

/// Where the first arrival is among the processes.
int first_process(const Instance& instance) {
  int first = 0;
  for (int p = 1; p < instance.ranks; ++p)
    if (std::pair(instance.tick[p], instance.part[p]) <
        std::pair(instance.tick[first], instance.part[first]))
      first = p;
  return first;
}

bool can_end(const Instance& instance, const RoundEnd& end, int first) {
  const std::int64_t all = whole_rounds(end, instance.tick[first], instance.part[first]);
  std::vector<std::int64_t> depths;
  for (int p = 0; p < instance.ranks; ++p)
    depths.push_back(std::min(all, rounds_left(instance, end, p)));
  return make_a_tree(std::move(depths));
}

/// The first of [low, high) for which `holds`, which stays true from there on; else high.
template <class Holds>
std::uint64_t first_that(std::uint64_t low, std::uint64_t high, Holds holds) {
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

RoundEnd reduce_end_bound(const Instance& instance) {
  const int first = first_process(instance);
  if (instance.ranks == 1) return {instance.tick[0], instance.part[0]};
  const std::uint32_t last_part = *std::max_element(instance.part.begin(), instance.part.end());
  const std::uint64_t last_tick = *std::max_element(instance.tick.begin(), instance.tick.end());
  RoundEnd end;
  end.tick = first_that(instance.tick[first],
                        last_tick + static_cast<std::uint64_t>(ceil_log2(instance.ranks)) + 2,
                        [&](std::uint64_t tick) {
                          return can_end(instance, {tick, last_part}, first);
                        });
  end.part = static_cast<std::uint32_t>(first_that(0, last_part, [&](std::uint64_t part) {
    return can_end(instance, {end.tick, static_cast<std::uint32_t>(part)}, first);
  }));
  end.tick += static_cast<std::uint64_t>(instance.segments) - 1;
  return end;
}

double reduce_makespan_bound_s(const Instance& instance, std::span<const double> arrival_s,
                               double round_s) {
  const RoundEnd end = reduce_end_bound(instance);
  const double first_s = *std::min_element(arrival_s.begin(), arrival_s.end());
  if (instance.order == clairvoyant::Order::latest_first)
    return static_cast<double>(end.tick) * round_s;
  const auto with = static_cast<std::size_t>(
      std::find(instance.part.begin(), instance.part.end(), end.part) - instance.part.begin());
  return arrival_s[with] - first_s +
         static_cast<double>(static_cast<std::int64_t>(end.tick) -
                             static_cast<std::int64_t>(instance.tick[with])) *
             round_s;
}

std::uint64_t one_segment_round_bound(std::span<const double> arrival_s, double round_s) {
  const double first = *std::min_element(arrival_s.begin(), arrival_s.end());
  std::vector<std::uint64_t> tick;
  for (const double arrival : arrival_s)
    tick.push_back(static_cast<std::uint64_t>(std::floor((arrival - first) / round_s)));
  std::sort(tick.begin(), tick.end());
  std::uint64_t round = 0, holders = 0;
  for (std::size_t next = 0; next < tick.size() || holders > 1;) {
    if (holders <= 1 && next < tick.size()) round = std::max(round, tick[next]);
    while (next < tick.size() && tick[next] <= round) ++next, ++holders;
    if (holders == 1 && next == tick.size()) break;
    holders = (holders + 1) / 2;
    ++round;
  }
  return arrival_s.size() > 1 ? round : 0;
}

std::uint64_t reduce_round_bound(std::span<const double> arrival_s, int segments, double round_s) {
  const std::uint64_t one = one_segment_round_bound(arrival_s, round_s);
  return one == 0 ? 0 : one + static_cast<std::uint64_t>(segments) - 1;
}

double absorption_s(double balanced_s, double run_s, double imbalance_s) {
  return balanced_s - run_s + imbalance_s;
}

double most_absorption_s(double balanced_s, double two_way) {
  return balanced_s - two_way;
}

ReduceBounds reduce_bounds(const LinkCost& cost, int ranks, double bytes) {
  const double share = static_cast<double>(ranks - 1) / ranks;
  return {ceil_log2(ranks) * cost.alpha_s, ranks > 1 ? cost.beta_s_per_byte * bytes : 0.0,
          share * cost.gamma_s_per_byte * bytes};
}

double two_way_shared_s(const LinkCost& cost, double bytes) {
  return 2 * cost.alpha_s + bytes * (cost.beta_s_per_byte + cost.gamma_s_per_byte / 2);
}

double two_way_single_s(const LinkCost& cost, double bytes) {
  return cost.round_s(bytes);
}

double two_way_s(const LinkCost& cost, double bytes) {
  return std::min(two_way_shared_s(cost, bytes), two_way_single_s(cost, bytes));
}

double two_way_switch_bytes(const LinkCost& cost) {
  return cost.gamma_s_per_byte > 0.0 ? 2 * cost.alpha_s / cost.gamma_s_per_byte
                                     : std::numeric_limits<double>::infinity();
}

double balanced_run_s(const LinkCost& cost, int ranks, double bytes, int segments) {
  if (ranks < 2) return 0.0;
  return (ceil_log2(ranks) + segments - 1) * cost.round_s(bytes / segments);
}

double best_segments(const LinkCost& cost, int ranks, double bytes) {
  if (cost.alpha_s <= 0.0) return std::max(1.0, bytes);
  const double n = std::max(0, ceil_log2(ranks) - 1);
  return std::max(
      1.0, std::sqrt(n * bytes * (cost.beta_s_per_byte + cost.gamma_s_per_byte) / cost.alpha_s));
}

}  // namespace pat::check
