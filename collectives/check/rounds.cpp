#include "collectives/check/rounds.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace pat::check {
namespace {

using clairvoyant::Instance;
using clairvoyant::Message;
using clairvoyant::MessageList;
using clairvoyant::Order;
using clairvoyant::Round;
using clairvoyant::Window;

/// The set of contributions in one slot: a bit per rank.
class Slots {
 public:
  explicit Slots(const Instance& instance)
      : segments_(instance.segments),
        words_((instance.ranks + 63) / 64),
        bits_(static_cast<std::size_t>(instance.ranks) * instance.segments * words_, 0) {
    for (int p = 0; p < instance.ranks; ++p)
      for (int s = 0; s < segments_; ++s) at(p, s)[p / 64] |= std::uint64_t{1} << (p % 64);
  }
  std::uint64_t* at(int process, int segment) {
    return bits_.data() + (static_cast<std::size_t>(process) * segments_ + segment) * words_;
  }
  bool empty(int process, int segment) {
    return std::all_of(at(process, segment), at(process, segment) + words_,
                       [](std::uint64_t word) { return word == 0; });
  }
  /// False if the two have a contribution in common.
  bool move(int from, int to, int segment) {
    std::uint64_t *source = at(from, segment), *target = at(to, segment);
    bool apart = true;
    for (std::size_t w = 0; w < words_; ++w) {
      apart = apart && (source[w] & target[w]) == 0;
      target[w] |= source[w];
      source[w] = 0;
    }
    return apart;
  }
  std::size_t count(int process, int segment) {
    std::size_t sum = 0;
    for (std::size_t w = 0; w < words_; ++w)
      sum += static_cast<std::size_t>(__builtin_popcountll(at(process, segment)[w]));
    return sum;
  }

 private:
  int segments_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

std::string describe(const Round& round, const Message& message) {
  return "in round " + std::to_string(round.number) + ", segment " +
         std::to_string(message.segment()) + " from " + std::to_string(message.sender()) + " to " +
         std::to_string(message.receiver());
}

bool may_take_part(const Instance& instance, const Round& round, int process) {
  if (instance.order == Order::latest_first) return instance.tick[process] <= round.number;
  const auto mine = std::pair(instance.tick[process], instance.part[process]);
  const auto end = std::pair(round.tick + 1, instance.part[round.head]);
  return instance.window == Window::closed ? mine <= end : mine < end;
}

std::string fault(const Instance& instance, const MessageList& list, std::size_t index,
                  Slots& slots) {
  const Round& round = list.rounds[index];
  std::vector<std::uint8_t> sent(instance.ranks), received(instance.ranks);
  std::vector<int> fresh(instance.ranks, -1);
  for (const Message& m : list.of(index)) {
    const int from = m.sender(), to = m.receiver();
    if (from >= instance.ranks || to >= instance.ranks || m.segment() >= instance.segments ||
        from == to)
      return describe(round, m) + " is not a message between two ranks";
    if (sent[from]++) return describe(round, m) + " is a second send of its sender";
    if (received[to]++) return describe(round, m) + " is a second receive of its receiver";
    for (const int process : {from, to})
      if (!may_take_part(instance, round, process))
        return describe(round, m) + " comes before rank " + std::to_string(process) + " does";
    if (fresh[from] == m.segment()) return describe(round, m) + " was received in this round";
    if (slots.empty(from, m.segment())) return describe(round, m) + " is sent by one who has none";
    if (slots.empty(to, m.segment()) != m.copies())
      return describe(round, m) + " is not marked rightly as copied or combined";
    if (!slots.move(from, to, m.segment()))
      return describe(round, m) + " counts a contribution twice";
    fresh[to] = m.segment();
  }
  return "";
}

}  // namespace

Verdict check_rounds(const Instance& instance, const MessageList& list) {
  Slots slots(instance);
  for (std::size_t r = 0; r < list.rounds.size(); ++r) {
    if (r > 0 && list.rounds[r].number <= list.rounds[r - 1].number)
      return {false, "round " + std::to_string(list.rounds[r].number) + " comes out of order"};
    const std::string what = fault(instance, list, r, slots);
    if (!what.empty()) return {false, what};
  }
  for (int process = 0; process < instance.ranks; ++process)
    for (int segment = 0; segment < instance.segments; ++segment) {
      const std::size_t expected = process == instance.root ? instance.ranks : 0;
      if (slots.count(process, segment) != expected)
        return {false, "rank " + std::to_string(process) + " ends with " +
                           std::to_string(slots.count(process, segment)) +
                           " contributions in segment " + std::to_string(segment) + " instead of " +
                           std::to_string(expected)};
    }
  return {};
}

}  // namespace pat::check
