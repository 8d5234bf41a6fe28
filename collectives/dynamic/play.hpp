#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "collectives/dynamic/protocol.hpp"
#include "collectives/schedule.hpp"
#include "core/arrival_pattern.hpp"

namespace pat {

/// What the processes did when a protocol was played.
struct Play {
  struct Merge {
    int from, to, piece;
    OperandSide side;
  };
  std::vector<Merge> merges;            ///< in the order in which the transfers began
  std::vector<double> exit_s;           ///< per rank, on the time axis of the pattern
  std::size_t letters = 0;              ///< sent in all
  std::vector<std::size_t> letters_to;  ///< per rank: sent to it

  /// Last exit minus first arrival.
  double run_time_s(const ArrivalPattern& pattern) const;
};

using MakeProtocol = std::function<std::unique_ptr<Protocol>(const Problem&, int rank)>;

/// Plays the protocol for these arrivals under problem.cost: a letter takes alpha and no port, a
/// value of n bytes alpha + n beta and both ports; combining it, where the operation does, n gamma
/// and both ports of the receiver. Deterministic. Throws Error(internal) if the protocol stops
/// before all are done.
Play play(const MakeProtocol& make, const Problem& problem, const ArrivalPattern& pattern);

/// The played messages as a schedule. Each value that is combined is announced by its sender and
/// asked for by its receiver before it moves, as in the protocol; where values only move the
/// receiver announces itself, once. Letters that led to nothing are left out.
Schedule to_schedule(const Play& play, const Problem& problem, int pieces);

}  // namespace pat
