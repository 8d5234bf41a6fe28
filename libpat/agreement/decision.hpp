#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "core/arrival_pattern.hpp"

namespace pat::detail {

/// What a process tells the leader of a stream: 56 bytes. Times are on the session's clock.
struct Report {
  enum Flag : std::uint32_t {
    arrived = 1,  ///< arrival_ns is the measured arrival, not a forecast
    final = 2,    ///< no better forecast of this call will follow
    moved = 4,    ///< a lease holds, and the process is no longer where it said it would be
    look_out = 8  ///< of a recall and the answers to it: its first round
  };

  std::uint32_t communicator = 0;
  std::uint32_t stream = 0;
  std::uint32_t call = 0;    ///< the call of the stream that arrival_ns belongs to
  float forecast_s = -1.0f;  ///< predicted computing time of the phase before a call; < 0: unknown
  std::int64_t arrival_ns = 0;  ///< 0: nothing is known about this call
  float half_width_s = 0.0f;    ///< half the 90 % interval of the forecast
  std::uint32_t flags = 0;
  /// The stream's latest call that is over here; the times are 0 if there is none whose times say
  /// what it took.
  std::int64_t past_arrival_ns = 0, past_exit_ns = 0;
  std::uint32_t past_call = 0;
  /// Of a recall and the answers to it: the lease's first call; `call` is the one after its last,
  /// and of an answer the first for which the process waits.
  std::uint32_t lease = 0;
};
static_assert(sizeof(Report) == 56);

/// The report that a message holds. Throws Error(internal) if it is none.
Report read_report(const std::byte* message, std::size_t bytes);

/// What all ranks of `count` calls of one stream have in common, beginning with call `first`: the
/// lease. Made by the stream's leader and sent, never computed twice.
struct Decision {
  std::uint32_t communicator = 0;
  std::uint32_t stream = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t algorithm = 0;  ///< index into algorithms()
  std::uint32_t segments = 0;
  std::int32_t variant = -1;  ///< see Problem::variant
  std::uint32_t window = 0;   ///< see Problem::window
  LinkCost cost;  ///< what builders assume of the network: the leader's, so that all build alike
  bool live = false;  ///< only the root's program follows the pattern: all keep reporting to it
  double tick_s = 0.0;
  /// By how much a computing phase may miss its forecast before the process says so, seconds; 0:
  /// nothing depends on it.
  double tolerated_s = 0.0;
  /// What a process may spend on a call to hear whether another decision would be better, seconds:
  /// none could gain more than a few times that; 0: more than the time between calls allows.
  double worth_s = 0.0;
  std::vector<std::uint16_t> ticks;  ///< predicted arrival per rank in whole ticks
  std::string reason;                ///< why; known at the leader only
  bool blind = false;  ///< the pattern is none (Reading::blind); known at the leader only

  bool covers(std::uint32_t call) const { return call >= first && call - first < count; }
  const Algorithm& chosen() const { return algorithms()[algorithm]; }
  void choose(const Algorithm& one) {
    algorithm = static_cast<std::uint32_t>(&one - algorithms().data());
  }
  /// The pattern that every rank rebuilds from the ticks, the same to the last bit.
  ArrivalPattern pattern() const;
};

/// Quantises a pattern into `ticks` and `tick_s` of the decision: in ticks of `tick_s` seconds if
/// that is given, else in the finest; infinite: as if all arrived together.
void set_pattern(Decision& decision, const ArrivalPattern& pattern, double tick_s = 0.0);

/// A decision as messages of at most `limit` bytes each (one for up to some 2000 ranks).
std::vector<std::vector<std::byte>> encode(const Decision& decision, std::size_t limit);

/// Puts decisions together again from the messages of one sender.
class DecisionReader {
 public:
  /// Takes one message; returns true when `decision` is complete. Throws Error(internal) if the
  /// message is malformed or does not go on where the one before ended.
  bool read(const std::byte* message, std::size_t bytes, Decision& decision);

 private:
  Decision partial_;
  std::uint32_t ranks_ = 0;  // that it is for
};

}  // namespace pat::detail
