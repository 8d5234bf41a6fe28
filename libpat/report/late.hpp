#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/live_state.hpp"

namespace pat::detail {

/// Another rank of the job, as one that waits finds it.
struct Neighbour {
  enum class Condition : std::uint8_t { answers, silent, stopped, gone };
  int rank = 0;
  std::int64_t pid = 0;
  Condition condition = Condition::answers;
  std::optional<LiveState> state;  ///< if it answers
  std::uint64_t machine = 0;       ///< another than that of who waits; 0: the same
};

/// Ranks come late by more than this many widths of the 90 % interval of their forecast, and by
/// more than so many seconds, before they are named: later than foretold, and than if their phase
/// were as long as the longest of their latest ones.
inline constexpr double late_widths = 3.0, late_at_least_s = 1.0;
/// The second of these where the region has had fewer phases: beginnings are no measure.
inline constexpr std::uint32_t few_phases = 8;
inline constexpr double late_at_first_s = 5.0;
/// A rank of which nothing is foretold is named when it has been waited for so long: beginnings and
/// files take long in healthy programs, too.
inline constexpr double unforetold_patience_s = 30.0;
/// The same where nobody of the job computes, so that nobody can be the one who lets it come.
inline constexpr double all_wait_patience_s = 5.0;
/// Who has waited so long without naming anybody looks again when he has waited that long.
double next_look_s(double waited_s);

/// Of several that wait on one communicator the lowest rank speaks: whether that is rather `other`.
bool leaves_word_to(const LiveState& own, const LiveState& other);

/// Whether its present phase lasts so long that the process is named by those who wait for it.
bool is_overdue(const LiveState& state, double excused_s = 0.0);

struct Alarm {
  std::string sentence;
  std::vector<int> late;  ///< ranks that have not come; empty: calls differ
};
/// Who keeps the call of `own`, which waits, from going on: ranks that are in another collective,
/// that are stopped or gone, later than foretold, or wait themselves as all do. Nothing: none of
/// these is. Who is late on another machine is named there if somebody waits for it there, and here
/// if not. For `excused_s` of the wait this process was stopped itself, or got no processor.
/// `patience_s`: how long whoever has not come may take, whatever is foretold; nothing: see above.
std::optional<Alarm> who_is_late(const LiveState& own, const std::vector<Neighbour>& others,
                                 double excused_s, std::optional<double> patience_s = {});

/// Those of who were late, as they answer `now`, that have come to the call of `own` since.
std::vector<int> who_came(const LiveState& own, const std::vector<Neighbour>& now);

/// What is said when the call of `own` is over after all, and `came` are known to have come.
std::string goes_on(const LiveState& own, const std::vector<int>& came, double waited_s);

}  // namespace pat::detail
