#include "collectives/clairvoyant/instance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/errors.hpp"

namespace pat::clairvoyant {
namespace {

constexpr double most_ticks = 2147483648.0;

void validate(int segments, int root, std::span<const double> arrival_s, double round_s) {
  const int ranks = static_cast<int>(arrival_s.size());
  if (ranks < 1 || ranks > most_ranks)
    throw Error(ErrorKind::argument, "the number of processes is " + std::to_string(ranks) +
                                         ", give from 1 to " + std::to_string(most_ranks));
  if (segments < 1 || segments > most_segments)
    throw Error(ErrorKind::argument, "the number of segments is " + std::to_string(segments) +
                                         ", give from 1 to " + std::to_string(most_segments));
  if (root < 0 || root >= ranks)
    throw Error(ErrorKind::root, "the root is " + std::to_string(root) +
                                     ", give a rank from 0 to " + std::to_string(ranks - 1));
  if (!std::isfinite(round_s) || round_s <= 0.0)
    throw Error(ErrorKind::argument, "the round time is " + std::to_string(round_s) +
                                         ", give a finite time above 0 seconds");
  for (int r = 0; r < ranks; ++r)
    if (!std::isfinite(arrival_s[r]) || arrival_s[r] < 0.0)
      throw Error(ErrorKind::argument, "the arrival time of rank " + std::to_string(r) + " is " +
                                           std::to_string(arrival_s[r]) +
                                           ", give a finite time of at least 0 seconds");
  const auto [low, high] = std::minmax_element(arrival_s.begin(), arrival_s.end());
  if ((*high - *low) / round_s >= most_ticks || *low / round_s >= 4.0e15)
    throw Error(ErrorKind::argument,
                "the round time is too short for these arrivals (more than 2^31 rounds), give a "
                "longer one");
}

/// part[r]: place of remainder[r] among the different remainders, ascending.
std::vector<std::uint32_t> places(const std::vector<double>& remainder) {
  std::vector<double> sorted = remainder;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::uint32_t> part(remainder.size());
  for (std::size_t r = 0; r < part.size(); ++r)
    part[r] = static_cast<std::uint32_t>(
        std::lower_bound(sorted.begin(), sorted.end(), remainder[r]) - sorted.begin());
  return part;
}

void cut_exactly(std::span<const double> arrival_s, double round_s, Instance& instance) {
  const std::size_t ranks = arrival_s.size();
  std::vector<double> remainder(ranks), whole(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    remainder[r] = std::fmod(arrival_s[r], round_s);
    whole[r] = std::nearbyint((arrival_s[r] - remainder[r]) / round_s);
  }
  const double first = *std::min_element(whole.begin(), whole.end());
  for (std::size_t r = 0; r < ranks; ++r)
    instance.tick[r] = static_cast<std::uint32_t>(whole[r] - first);
  instance.part = places(remainder);
}

void cut_to_ticks(std::span<const double> arrival_s, double round_s, Instance& instance) {
  const double first = *std::min_element(arrival_s.begin(), arrival_s.end());
  for (std::size_t r = 0; r < arrival_s.size(); ++r)  // below 2^31: truncation is floor
    instance.tick[r] =
        static_cast<std::uint32_t>(static_cast<std::int32_t>((arrival_s[r] - first) / round_s));
}

}  // namespace

std::string_view name(Order order) {
  return order == Order::paper ? "paper" : "latest-first";
}

std::optional<Order> find_order(std::string_view text) {
  for (const Order order : {Order::paper, Order::latest_first})
    if (name(order) == text) return order;
  return std::nullopt;
}

Instance make_instance(int segments, int root, std::span<const double> arrival_s, double round_s,
                       Order order, Window window) {
  validate(segments, root, arrival_s, round_s);
  Instance instance{.ranks = static_cast<int>(arrival_s.size()),
                    .segments = segments,
                    .root = root,
                    .order = order,
                    .window = window,
                    .tick = std::vector<std::uint32_t>(arrival_s.size(), 0),
                    .part = std::vector<std::uint32_t>(arrival_s.size(), 0)};
  if (order == Order::paper)
    cut_exactly(arrival_s, round_s, instance);
  else
    cut_to_ticks(arrival_s, round_s, instance);
  return instance;
}

}  // namespace pat::clairvoyant
