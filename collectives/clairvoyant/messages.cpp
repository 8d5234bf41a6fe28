#include "collectives/clairvoyant/messages.hpp"

#include <algorithm>

namespace pat::clairvoyant {

double start_s(const MessageList& list, std::size_t index, const Instance& instance,
               std::span<const double> arrival_s, double round_s) {
  const Round& round = list.rounds[index];
  if (instance.order == Order::latest_first)
    return *std::min_element(arrival_s.begin(), arrival_s.end()) + round.number * round_s;
  const auto age = static_cast<double>(round.tick - instance.tick[round.head]);
  return arrival_s[round.head] + age * round_s;
}

double makespan_s(const MessageList& list, const Instance& instance,
                  std::span<const double> arrival_s, double round_s) {
  if (list.rounds.empty()) return 0.0;
  return start_s(list, list.rounds.size() - 1, instance, arrival_s, round_s) + round_s -
         *std::min_element(arrival_s.begin(), arrival_s.end());
}

}  // namespace pat::clairvoyant
