#pragma once

#include <span>
#include <vector>

#include "core/trace.hpp"

namespace pat {

/// Who waited and who was waited for, over all iterations of a trace. Seconds; one element a rank.
struct Lateness {
  std::vector<double> computing_s;  ///< in all computing phases
  std::vector<double> waited_s;     ///< from the rank's arrivals to the last ones, or until it left
  std::vector<double> charged_s;    ///< what others waited for this rank; sums up to the skew
  std::vector<int> times_last;      ///< iterations in which nobody came after it
  std::vector<int> most_in;         ///< the iteration with the largest charge, the first of several
  std::vector<int> few;             ///< of the twentieth with the largest charges those that matter
  std::vector<double> few_s;        ///< the charge of these
  double skew_s = 0.0;              ///< all waiting, of all ranks
  double elapsed_s = 0.0;  ///< from each iteration's first start of computing to its last arrival

  int ranks() const { return static_cast<int>(waited_s.size()); }
};

/// When the ranks of one call ceased to work, came and ceased to wait for others, in this order.
struct CallTimes {
  std::span<const double> works_until_s;  ///< from then on until the arrival it waits in messages
  std::span<const double> arrival_s;
  std::span<const double> waits_until_s;
};
/// Adds to charged_s what others wait for each rank in one call. While k ranks wait, each of those
/// m that still work is charged k / m of the time; once none works, those are that have not come:
/// who waits in messages meanwhile waits for one of those who work, most likely. O(P log P).
void charge(const CallTimes& call, std::span<double> charged_s);

/// `waiting_s`: what in_messages_s and kept_s say of these iterations, together: for how long
/// before its arrival a rank did not work; empty: all worked until they came. Who leaves a call
/// before the last has come, as the leaves of a gather may, waits no longer than that (a call
/// behind a request is left as it begins); where the trace does not say when calls were left, and
/// of phases that no call of PAT's followed, all wait for the last. A rank that comes with the
/// last, to the nanosecond, is last, too; none is where all come at once.
Lateness lateness_of(const Trace& trace, std::span<const double> waiting_s);

/// How long the iterations took, from starts of computing until the last rank had left, or had come
/// where the trace does not say when calls were left. Where their starts were recorded, what is
/// part of two of them counts once: who leaves a call early begins the next while others are in it.
/// Seconds. O(n log n).
double elapsed_s(const Trace& trace);

/// In how many calls one rank was at once, at least 1: so many of its threads make them. Of a trace
/// that does not say when they began and ended, 1. O(n log n) for some of the ranks.
int threads_in(const Trace& trace);

/// Seconds before each arrival that a rank neither computed nor was in the call before, at whatever
/// place, as far as the trace says when that was left and that phases begin with that (`pat run`):
/// it waited in messages, most likely.
/// Iterations x ranks; empty where that is not known.
std::vector<double> in_messages_s(const Trace& trace);

/// Seconds before each arrival that a rank was kept in calls, at whatever place, from which it came
/// straight, without a phase between: since it had come to the first of them. It is late for whom
/// it waited there. `waiting_s`: what in_messages_s says. Iterations x ranks; empty where not
/// known.
std::vector<double> kept_s(const Trace& trace, std::span<const double> waiting_s);

/// How well the processes are used (POP Centre of Excellence, standard metrics). Shares.
struct Efficiency {
  double load_balance = 1.0;   ///< mean computing time / longest computing time
  double communication = 1.0;  ///< longest computing time / elapsed time
  double parallel = 1.0;       ///< product of both
};
/// Of computing times, one a rank, in so much elapsed time. All are 1 where nothing was computed.
Efficiency efficiency_of(std::span<const double> computing_s, double elapsed_s);

}  // namespace pat
