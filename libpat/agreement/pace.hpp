#pragma once

#include <algorithm>
#include <cstdint>

/// How often whoever plays the daemon comes back. Times in ns on any clock. The daemon thread keeps
/// to it, and the simulated one in bench/simgrid. Not thread-safe.
namespace pat::detail::pace {

inline constexpr std::int64_t moving_pause_ns = 200'000;  ///< between rounds while data moves
inline constexpr std::int64_t busy_pause_ns = 1'000'000;  ///< in a computing phase without any
inline constexpr std::int64_t moving_ns = 3'000'000;      ///< data counts as moving for so long
inline constexpr std::int64_t shortest_pause_ns = 100'000;
inline constexpr std::int64_t longest_pause_ns = 20'000'000;
inline constexpr std::int64_t rest_ns = 200'000'000;        ///< of one whom nobody asks
inline constexpr std::int64_t most_saved_cpu_ns = 200'000;  ///< that quiet spells save for bursts
inline constexpr double share = 0.004;                      ///< of one core, for polling
/// What a round that finds messages counts for: others wait for what they bring about.
inline constexpr double served = 0.1;

/// What one round of the daemon found.
struct Round {
  bool messages = false;       ///< something came
  bool moving = false;         ///< early data is under way
  bool computing = false;      ///< a computing phase is on, or what it must be awake for as in one
  bool decided_phase = false;  ///< a computing phase is on, and the call after it is decided
  bool resting = false;        ///< nothing to do until a call ends
  bool leading = false;        ///< it rests, but others may still ask it for decisions
  bool idle = false;           ///< nothing to do until the next phase begins
  std::int64_t urgent_ns = 0;  ///< when the next decision is due; 0: none

  void due(std::int64_t at_ns) {
    if (urgent_ns == 0 || at_ns < urgent_ns) urgent_ns = at_ns;
  }
};

/// Whether the early data of one call is under way, seen from rounds that say what changed.
class Motion {
 public:
  bool round(bool changed, std::int64_t now_ns) {
    if (changed) until_ns_ = now_ns + moving_ns;
    return now_ns < until_ns_;
  }

 private:
  std::int64_t until_ns_ = 0;
};

/// Spaces the rounds so that polling costs at most `share` of one core, whatever a round costs;
/// those that find messages count for `served` of what they cost. Only while early data is under
/// way or a decision is due do they come sooner.
class Pace {
 public:
  explicit Pace(std::int64_t now_ns) : before_ns_(now_ns) {}

  /// How long the daemon must sleep before it has earned what it has used.
  std::int64_t debt_ns() const {
    if (saved_ns_ >= 0) return 0;
    return std::min(longest_pause_ns,
                    static_cast<std::int64_t>(static_cast<double>(-saved_ns_) / share));
  }

  /// The pause after a round that ended at `now_ns`; since the round before it the daemon has used
  /// `cpu_ns` of processor time.
  std::int64_t pause_ns(const Round& round, std::int64_t now_ns, std::int64_t cpu_ns) {
    account(round, now_ns, cpu_ns);
    if (round.resting) return round.leading ? longest_pause_ns : rest_ns;
    if (round.idle) return longest_pause_ns;
    std::int64_t pause = moving_pause_ns;
    if (!round.moving) {
      const bool quiet = !round.computing && !round.messages;
      quiet_pause_ns_ =
          quiet ? std::min(longest_pause_ns, quiet_pause_ns_ + quiet_pause_ns_ / 2) : busy_pause_ns;
      pause = quiet_pause_ns_;
    }
    if (!round.moving) pause = std::max(pause, debt_ns());
    pause = std::min(pause, longest_pause_ns);
    // Whatever was used: all wait for a decision that is late.
    if (round.urgent_ns != 0)
      pause = std::clamp(round.urgent_ns - now_ns, shortest_pause_ns, pause);
    return pause;
  }

 private:
  void account(const Round& round, std::int64_t now_ns, std::int64_t cpu_ns) {
    if (!round.moving)
      saved_ns_ +=
          static_cast<std::int64_t>(share * static_cast<double>(now_ns - before_ns_) -
                                    (round.messages ? served : 1.0) * static_cast<double>(cpu_ns));
    saved_ns_ = std::min(most_saved_cpu_ns, saved_ns_);
    before_ns_ = now_ns;
  }

  std::int64_t before_ns_;
  std::int64_t saved_ns_ = most_saved_cpu_ns;
  std::int64_t quiet_pause_ns_ = busy_pause_ns;
};

}  // namespace pat::detail::pace
