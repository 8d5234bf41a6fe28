#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/regret/cell.hpp"
#include "core/inference.hpp"

namespace pat::regret {

/// A ratio of medians over the calls that both have, with its 95 % bootstrap interval.
struct Ratio {
  double value = 1.0;
  Interval interval;
};

/// What `auto` is held to.
struct Aims {
  double over_best = 1.05;      ///< of the best way's time
  double over_best_end = 1.08;  ///< upper end of the interval of that
  double over_mpi = 1.02;       ///< of mpi's time
  double clear_gain = 0.9;      ///< of mpi's time: a best way below it has a gain to share
  double gain_share = 0.8;      ///< of that gain
  int calls_to_settle = 5;      ///< after a change
};

/// How `auto` finds its way after a change. In the end: in the second half of the state.
struct Settling {
  int calls = 0;           ///< made before it takes no longer than 1.05 of what it takes in the end
  double over_best = 1.0;  ///< what it takes in the end over what the best way takes then
};

/// One cell of the table. What cannot be said, for want of samples or because the question does not
/// arise, is empty.
struct Row {
  Cell cell;
  std::string best;   ///< the fastest way in hindsight: mpi or an algorithm, not auto or plain
  int calls = 0;      ///< of auto that count
  bool known = true;  ///< the arrivals could be known when the call was decided
  std::optional<Ratio> best_over_mpi, auto_over_best, auto_over_mpi;
  std::optional<Ratio> mpi_over_plain;  ///< what it costs mpi that its phases are watched
  std::optional<double> gain_share;  ///< (mpi - auto) / (mpi - best), where the best is far ahead
  std::optional<Settling> settling;  ///< of a state of a pattern that changes

  std::optional<bool> near_best(const Aims&) const;
  std::optional<bool> never_slower(const Aims&) const;
  std::optional<bool> shares_gain(const Aims&) const;
  std::optional<bool> settles(const Aims&) const;
};

Row evaluate(const Cell& cell, std::uint64_t seed, const Aims& aims);

}  // namespace pat::regret
