#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/clairvoyant/instance.hpp"

namespace pat::clairvoyant {

/// One segment that goes from one rank to another, in 8 bytes.
class Message {
 public:
  Message() = default;
  Message(std::uint32_t sender, std::uint32_t receiver, std::uint32_t segment, bool copies)
      : bits_(static_cast<std::uint64_t>(sender) << 40 |
              static_cast<std::uint64_t>(receiver) << 16 |
              static_cast<std::uint64_t>(segment) << 1 | static_cast<std::uint64_t>(copies)) {}
  int sender() const { return static_cast<int>(bits_ >> 40); }
  int receiver() const { return static_cast<int>((bits_ >> 16) & 0xffffff); }
  int segment() const { return static_cast<int>((bits_ >> 1) & 0x7fff); }
  /// The receiver has sent its own part of this segment away before: what comes takes its place and
  /// must not be combined, or a contribution would count twice.
  bool copies() const { return bits_ & 1; }
  bool operator==(const Message&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

/// A round in which something is sent. Idle rounds are counted but not listed. With latest_first
/// all rounds start at whole ticks: head is 0 and tick the number.
struct Round {
  std::uint32_t number = 0;  ///< from 0 at the first arrival
  std::uint32_t first = 0;   ///< index of its first message
  std::uint32_t head = 0;    ///< the rank whose availability starts the round
  std::uint32_t tick = 0;    ///< whole rounds before the head was available (Instance::tick + age)
  bool operator==(const Round&) const = default;
};

/// A generated schedule: the messages round by round, within a round in the order in which the
/// receivers were served.
struct MessageList {
  std::vector<Message> messages;
  std::vector<Round> rounds;

  /// Number of rounds, idle ones included.
  std::uint32_t round_count() const { return rounds.empty() ? 0 : rounds.back().number + 1; }
  std::span<const Message> of(std::size_t round) const {
    const std::size_t end = round + 1 < rounds.size() ? rounds[round + 1].first : messages.size();
    return std::span(messages).subspan(rounds[round].first, end - rounds[round].first);
  }
  void clear() {
    messages.clear();
    rounds.clear();
  }
  bool operator==(const MessageList&) const = default;
};

/// When the head of a listed round was available, seconds on the axis of `arrival_s`.
double start_s(const MessageList& list, std::size_t round, const Instance& instance,
               std::span<const double> arrival_s, double round_s);

/// End of the last round minus the first arrival, in the algorithm's own clock; 0 if nothing is
/// sent. The real end under a cost model comes from simulate().
double makespan_s(const MessageList& list, const Instance& instance,
                  std::span<const double> arrival_s, double round_s);

/// A generator fills `out` (whose memory is used again) with the schedule of `instance`. All of
/// them give the same result. Thread-safe.
using Generate = void (*)(const Instance& instance, MessageList& out);

struct Generator {
  std::string_view name;
  std::string_view idea;
  Generate generate;
};

}  // namespace pat::clairvoyant
