#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace pat::detail {

/// Where a computing phase was when it came to a point that every phase passes, such as its n-th
/// message.
struct Waypoint {
  double computing_s = 0.0;       ///< since the phase began
  std::int64_t instructions = 0;  ///< since then; 0: not counted
};

/// The waypoints of one phase, the first `most` of them.
struct Waypoints {
  static constexpr std::size_t most = 64;
  std::array<Waypoint, most> at{};
  std::size_t count = 0;

  void add(const Waypoint& point) {
    if (count < most) at[count] = point;
    ++count;
  }
};

/// Infers how far a phase of a program that says nothing of it has come: as far as the last phases
/// were after as many messages; or, where the processor counts instructions, by what the last
/// phases took in all, as work is a better measure than time on a core that is shared. A wrong
/// inference makes a wrong forecast, which costs time only. Not thread-safe.
class InferredProgress {
 public:
  /// Fewer phases tell nothing.
  static constexpr int fewest_phases = 2;
  /// No more than so many shares are told of a phase, this far apart: each is a forecast.
  static constexpr double step = 0.2;

  /// A phase has ended with these waypoints; `end`: its whole.
  void learn(const Waypoints& points, const Waypoint& end) {
    if (end.computing_s <= 0.0) return;
    const std::size_t known = points.count < Waypoints::most ? points.count : Waypoints::most;
    for (std::size_t n = 0; n < known; ++n)
      share_[n].add(points.at[n].computing_s / end.computing_s);
    if (end.instructions > 0) instructions_.add(static_cast<double>(end.instructions));
  }

  /// The share of the phase that is done at its waypoint `number`, from 0, above 0 and below 1, if
  /// it is known and at least a step beyond `told`, the share that was told last.
  std::optional<double> share(std::size_t number, const Waypoint& point, double told) const {
    if (number >= Waypoints::most) return std::nullopt;
    const bool counted = point.instructions > 0 && instructions_.phases >= fewest_phases;
    if (!counted && share_[number].phases < fewest_phases) return std::nullopt;
    const double done = counted ? static_cast<double>(point.instructions) / instructions_.value
                                : share_[number].value;
    if (done < told + step || done >= 1.0) return std::nullopt;
    return done;
  }

 private:
  /// Of the last phases, the latest weighing most.
  struct Mean {
    static constexpr int recent = 4;
    double value = 0.0;
    int phases = 0;
    void add(double one) {
      phases = phases < recent ? phases + 1 : recent;
      value += (one - value) / phases;
    }
  };

  std::array<Mean, Waypoints::most> share_{};  ///< after so many messages
  Mean instructions_;                          ///< of whole phases
};

}  // namespace pat::detail
