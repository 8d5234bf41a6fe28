#include "collectives/check/reduce_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace pat::check {
namespace {

int steps(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks) - 1));
}

}  // namespace

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
  return {steps(ranks) * cost.alpha_s, ranks > 1 ? cost.beta_s_per_byte * bytes : 0.0,
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
  return (steps(ranks) + segments - 1) * cost.round_s(bytes / segments);
}

double best_segments(const LinkCost& cost, int ranks, double bytes) {
  if (cost.alpha_s <= 0.0) return std::max(1.0, bytes);
  const double n = std::max(0, steps(ranks) - 1);
  return std::max(
      1.0, std::sqrt(n * bytes * (cost.beta_s_per_byte + cost.gamma_s_per_byte) / cost.alpha_s));
}

}  // namespace pat::check
