#include "collectives/links.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collectives/operation_row.hpp"
#include "core/statistics.hpp"

namespace pat {
namespace {

constexpr std::size_t fewest_times = 4;  // so that a quartile tells something
constexpr double least_s = 1e-3;
/// Of four machines a slow one makes half of the messages slow.
constexpr double usual_share = 0.25;
/// Later than the last by no more than it takes to have another place.
constexpr double instant_s = 1e-6;

/// A vector or a block goes between each process and a root, or up and down again.
bool goes_over_trees(const OperationRow& operation) {
  const bool combined_for_all = operation.combines && operation.send->holds == Holds::block &&
                                operation.recv->at == At::everywhere &&
                                operation.recv->holds == Holds::block;
  return operation.rooted || combined_for_all;
}

}  // namespace

int link_partner(int own, int round, int count) {
  const bool odd = count % 2 == 1;
  const bool round_closes = odd ? round == 2 : round == 1;  // the ring
  if (round == 2 && !odd) return -1;
  if (round_closes && own == 0) return count - 1;
  if (round_closes && own == count - 1) return 0;
  if (round == 2 || own < round) return -1;
  const int partner = (own - round) % 2 == 0 ? own + 1 : own - 1;
  return partner < count ? partner : -1;
}

std::size_t link_message_bytes(const LinkCost& usual, std::size_t longest_measured) {
  constexpr double message_s = 0.5e-3, least = 64 << 10, most = 1 << 20;
  const double known = std::clamp(static_cast<double>(longest_measured), least, most);
  return static_cast<std::size_t>(
      std::clamp(message_s / std::max(usual.beta_s_per_byte, 1e-12), least, known));
}

std::vector<double> link_slowdown(int ranks, const std::vector<LinkTime>& times, double alpha_s,
                                  double least) {
  if (times.size() < fewest_times) return {};
  std::vector<double> all;
  for (const LinkTime& one : times) all.push_back(one.time_s);
  const double usual_s = quantile(all, usual_share);
  constexpr double unknown = std::numeric_limits<double>::infinity();
  std::vector<double> slowdown(static_cast<std::size_t>(ranks), unknown);
  for (const LinkTime& one : times) {
    const double beyond_s = std::max(usual_s - alpha_s, 0.1 * usual_s);
    const bool longer = one.time_s > usual_s + least_s;
    const double ratio = longer ? std::max(1.0, (one.time_s - alpha_s) / beyond_s) : 1.0;
    for (const int rank : {one.rank, one.peer}) {
      double& of = slowdown[static_cast<std::size_t>(rank)];
      of = std::min(of, ratio);
    }
  }
  bool any = false;
  for (double& of : slowdown) {
    if (!std::isfinite(of) || of < least) of = 1.0;
    any = any || of > 1.0;
  }
  return any ? slowdown : std::vector<double>();
}

ArrivalPattern behind_slow_links(const Problem& problem, const ArrivalPattern& pattern) {
  ArrivalPattern placed = pattern;
  if (problem.link_slowdown.empty() || !goes_over_trees(row(problem.operation))) return placed;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    if (!problem.has_slow_link(rank)) continue;
    const double own_s = pattern.offset_s[static_cast<std::size_t>(rank)];
    const auto bytes = static_cast<double>(problem.block(rank) * problem.unit_bytes);
    double last_s = own_s;
    for (int other = 0; other < problem.ranks; ++other) {
      const double other_s = pattern.offset_s[static_cast<std::size_t>(other)];
      if (other != rank && other_s <= own_s + bytes * problem.cost.beta_s_per_byte)
        last_s = std::max(last_s, other_s + instant_s);
    }
    placed.offset_s[static_cast<std::size_t>(rank)] = last_s;
  }
  return placed;
}

}  // namespace pat
