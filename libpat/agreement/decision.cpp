#include "libpat/agreement/decision.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "core/errors.hpp"
#include "libpat/agreement/whole_message.hpp"

namespace pat::detail {
namespace {

constexpr double most_ticks = 65535.0;
constexpr double least_tick_s = 1e-7;

/// The fixed part of a decision message; `here` ticks, those of ranks from `begin` on, follow.
struct Header {
  std::uint32_t communicator, stream, first, count, algorithm, segments, window, live;
  double tick_s, tolerated_s, worth_s, alpha_s, beta_s_per_byte, gamma_s_per_byte;
  std::uint64_t unasked_bytes;
  std::uint32_t ranks, begin, here;
  std::int32_t variant;
};

/// More seconds, and more pieces (PAT_SEGMENTS), than any decision has.
constexpr double longest_s = 1e9;
constexpr std::uint32_t most_segments = 32767;

bool is_cost(double value) {
  return value >= 0.0 && value <= longest_s;
}

/// What can be told of a header alone. No sum of its numbers: it may not fit into 32 bits.
bool is_sound(const Header& header, std::size_t bytes) {
  constexpr std::uint32_t most_window = std::numeric_limits<std::int32_t>::max();
  return bytes == sizeof header + header.here * sizeof(std::uint16_t) && header.here > 0 &&
         header.begin < header.ranks && header.here <= header.ranks - header.begin &&
         header.algorithm < algorithms().size() && header.count > 0 &&
         header.segments <= most_segments && header.window <= most_window &&
         is_cost(header.tick_s) && is_cost(header.tolerated_s) && is_cost(header.worth_s) &&
         is_cost(header.alpha_s) && is_cost(header.beta_s_per_byte) &&
         is_cost(header.gamma_s_per_byte);
}

}  // namespace

Report read_report(const std::byte* message, std::size_t bytes) {
  return whole_message<Report>(message, bytes, "a report");
}

ArrivalPattern Decision::pattern() const {
  ArrivalPattern pattern;
  pattern.epoch = std::uint64_t{first} + 1;
  pattern.offset_s.reserve(ticks.size());
  for (const std::uint16_t tick : ticks) pattern.offset_s.push_back(tick * tick_s);
  return pattern;
}

void set_pattern(Decision& decision, const ArrivalPattern& pattern, double tick_s) {
  decision.blind = std::isinf(tick_s);
  decision.tick_s = std::max(
      {least_tick_s, absolute_imbalance_s(pattern) / most_ticks, decision.blind ? 0.0 : tick_s});
  const double earliest = *std::min_element(pattern.offset_s.begin(), pattern.offset_s.end());
  decision.ticks.clear();
  for (const double offset_s : pattern.offset_s)
    decision.ticks.push_back(static_cast<std::uint16_t>(
        decision.blind ? 0.0
                       : std::clamp((offset_s - earliest) / decision.tick_s, 0.0, most_ticks)));
}

std::vector<std::vector<std::byte>> encode(const Decision& decision, std::size_t limit) {
  const std::size_t room = (limit - sizeof(Header)) / sizeof(std::uint16_t);
  std::vector<std::vector<std::byte>> messages;
  for (std::size_t begin = 0; begin < decision.ticks.size(); begin += room) {
    const std::size_t here = std::min(room, decision.ticks.size() - begin);
    const Header header{decision.communicator,
                        decision.stream,
                        decision.first,
                        decision.count,
                        decision.algorithm,
                        decision.segments,
                        decision.window,
                        decision.live ? 1u : 0u,
                        decision.tick_s,
                        decision.tolerated_s,
                        decision.worth_s,
                        decision.cost.alpha_s,
                        decision.cost.beta_s_per_byte,
                        decision.cost.gamma_s_per_byte,
                        decision.cost.unasked_bytes,
                        static_cast<std::uint32_t>(decision.ticks.size()),
                        static_cast<std::uint32_t>(begin),
                        static_cast<std::uint32_t>(here),
                        decision.variant};
    std::vector<std::byte> message(sizeof header + here * sizeof(std::uint16_t));
    std::memcpy(message.data(), &header, sizeof header);
    std::memcpy(message.data() + sizeof header, decision.ticks.data() + begin,
                here * sizeof(std::uint16_t));
    messages.push_back(std::move(message));
  }
  return messages;
}

bool DecisionReader::read(const std::byte* message, std::size_t bytes, Decision& decision) {
  Header header;
  if (bytes < sizeof header) throw Error(ErrorKind::internal, "a decision message is too short");
  std::memcpy(&header, message, sizeof header);
  if (!is_sound(header, bytes)) throw Error(ErrorKind::internal, "a decision message is malformed");
  const bool goes_on = header.begin == partial_.ticks.size() && header.ranks == ranks_ &&
                       header.communicator == partial_.communicator &&
                       header.stream == partial_.stream && header.first == partial_.first;
  if (header.begin != 0 && !goes_on)
    throw Error(ErrorKind::internal, "a decision message is not the next of its decision");
  if (header.begin == 0) {
    partial_ = {};
    ranks_ = header.ranks;
    partial_.communicator = header.communicator;
    partial_.stream = header.stream;
    partial_.first = header.first;
    partial_.count = header.count;
    partial_.algorithm = header.algorithm;
    partial_.segments = header.segments;
    partial_.variant = header.variant;
    partial_.window = header.window;
    partial_.cost = {header.alpha_s, header.beta_s_per_byte, header.gamma_s_per_byte,
                     static_cast<std::size_t>(header.unasked_bytes)};
    partial_.live = header.live != 0;
    partial_.tick_s = header.tick_s;
    partial_.tolerated_s = header.tolerated_s;
    partial_.worth_s = header.worth_s;
  }
  partial_.ticks.resize(header.begin + header.here);
  std::memcpy(partial_.ticks.data() + header.begin, message + sizeof header,
              header.here * sizeof(std::uint16_t));
  if (partial_.ticks.size() < header.ranks) return false;
  decision = std::move(partial_);
  return true;
}

}  // namespace pat::detail
