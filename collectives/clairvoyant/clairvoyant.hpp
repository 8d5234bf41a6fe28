#pragma once

// The reduction that is scheduled from the predicted arrivals: generator's messages into the
// schedule that verify, simulate and libpat know.

#include <optional>

#include "collectives/clairvoyant/messages.hpp"
#include "collectives/schedule.hpp"
#include "core/arrival_pattern.hpp"

namespace pat::clairvoyant {

/// How a schedule is to be made. Unset values are chosen.
struct Options {
  Generate generate = nullptr;  ///< unset: the fastest
  std::optional<Order> order;   ///< unset: both, the one that finishes earlier is kept
  Window window = Window::closed;
};

/// A generated schedule with what it was made from.
struct Plan {
  Instance instance;
  MessageList list;
  double round_s = 0.0;
  double makespan_s = 0.0;  ///< in the algorithm's own clock
};

/// Length of a round for this problem, seconds: problem.round_s, or as its rounds were measured, or
/// by its cost for its segments.
double round_length_s(const Problem& problem, int segments);

/// Number of segments: problem.segments, or the one for which the bound on the run time under the
/// pattern is lowest. With measured rounds the middle one of those that come near it: on one side
/// lies what the library does to large messages, on the other a price for each.
int segments_for(const Problem& problem, const ArrivalPattern& pattern);

/// What the plan with this number of segments and this order depends on. Throws Error(argument) as
/// make_instance() does.
Instance instance_of(const Problem& problem, const ArrivalPattern& pattern, int segments,
                     Order order, Window window = Window::closed);

/// Throws Error(argument) as make_instance() does.
Plan plan(const Problem& problem, const ArrivalPattern& pattern, const Options& options = {});

/// The programs of the wanted ranks. Pure.
Schedule to_schedule(const Problem& problem, const MessageList& list, int segments);

}  // namespace pat::clairvoyant
