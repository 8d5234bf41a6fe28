#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/arrival_pattern.hpp"
#include "libpat/agreement/decision.hpp"

namespace pat::detail {

/// A call that is over, as it went.
struct MeasuredCall {
  std::uint32_t call = 0;
  ArrivalPattern arrivals;
  double run_time_s = 0.0;  ///< last exit minus first arrival
  double over_s = 0.0;      ///< mean of the exits, on the session's clock; 0: not known
};

/// By how much an arrival may move before a pattern is another one: a tenth of the imbalance of
/// either, or what cannot be told from noise.
double tolerated_move_s(const ArrivalPattern& a, const ArrivalPattern& b);
/// Whether no arrival moves by more than that, or than `least_s`.
bool arrivals_stay(const ArrivalPattern& a, const ArrivalPattern& b, double least_s = 0.0);

/// The leader's memory of one stream: who reported what, and how long the last lease was. It waits
/// for nobody: whatever is missing when a decision is due is filled from history. No MPI here.
class Leader {
 public:
  Leader(int ranks, std::uint32_t most_lease)
      : last_(ranks), past_(ranks), most_lease_(most_lease) {}

  /// Takes a report; an older one than is known of that rank is ignored. Values that are no times
  /// are mended.
  void take(int rank, const Report& report);

  /// The pattern predicted for `call`, offsets from the earliest. Ranks with a report for this
  /// call: as reported. Others: the common start of the phase plus their last known computing time;
  /// ranks of which nothing is known: the earliest arrival, with an infinite half width.
  ArrivalPattern pattern(std::uint32_t call) const;

  /// How long the processes compute before a call, by what they foretell: the median, seconds; 0:
  /// not known.
  double computing_s() const;

  /// Earliest arrival reported for `call` (session clock); nothing if no rank reported one.
  std::optional<std::int64_t> first_arrival_ns(std::uint32_t call) const;

  /// Every rank has sent its last word on `call`.
  bool complete(std::uint32_t call) const;

  /// The next call of which all ranks have told when they came and left; each is given once, in
  /// their order. Whoever leaves early may have come to later calls before the last one leaves.
  std::optional<MeasuredCall> measured();

  /// How many calls the new decision is to cover: 1, 2, 4 ... while nothing that matters changes, 1
  /// again after a change, and `most` at most. Remembers the decision.
  std::uint32_t lease(const Decision& decision, bool uses_pattern, bool known = true,
                      std::uint32_t most = std::numeric_limits<std::uint32_t>::max());

  /// The arrivals are others than they were: the next lease is a short one.
  void start_over() { previous_.reset(); }

 private:
  bool unchanged(const Decision& decision, bool uses_pattern) const;

  struct Past {
    std::uint32_t call = 0;
    std::int64_t arrival_ns = 0, exit_ns = 0;  ///< 0: there is none
  };
  void remember(int rank, const Past& past);
  /// What a rank has told of a call; null: nothing.
  const Past* told(std::size_t rank, std::uint32_t call) const;
  MeasuredCall as_measured(std::uint32_t call) const;

  std::vector<std::optional<Report>> last_;
  static constexpr std::size_t most_past = 4;
  /// Per rank its latest calls that are over, those that it told of last first.
  std::vector<std::array<Past, most_past>> past_;
  std::optional<std::uint32_t> measured_;  ///< the call given last
  std::uint32_t most_lease_;
  std::uint32_t lease_ = 0;
  std::optional<Decision> previous_;
};

}  // namespace pat::detail
