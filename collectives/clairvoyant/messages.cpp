#include "collectives/clairvoyant/messages.hpp"

#include <algorithm>
#include <array>

#include "collectives/clairvoyant/generators.hpp"
#include "core/errors.hpp"

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

std::span<const Generator> generators() {
  static constexpr std::array table = {
      Generator{"linear", "search as written in seed 004 Algorithm 1 with the corrections of seed 000",
                linear},
  };
  return table;
}

const Generator& get_generator(std::string_view wanted) {
  std::string names;
  for (const Generator& generator : generators()) {
    if (generator.name == wanted) return generator;
    if (!names.empty()) names += ", ";
    names += generator.name;
  }
  throw Error(ErrorKind::argument, "there is no generator named '" + std::string(wanted) +
                                       "', choose one of " + names);
}

}  // namespace pat::clairvoyant
