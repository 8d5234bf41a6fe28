#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/reading.hpp"
#include "collectives/cost/simulate.hpp"

namespace pat {

/// Up to so many processes each is simulated; of more, samples are.
inline constexpr int most_simulated = 256;

/// How far a formula may be from what is simulated.
inline constexpr double formula_error = 1.4;

/// What equal arrivals take by the algorithm's formula (Algorithm::flat_s), seconds, with the
/// segments that it chooses itself. Throws Error(internal) for an algorithm without a formula.
double formula_s(const Algorithm& algorithm, const Problem& problem, const CostModel& model);

/// A small machine on which an algorithm costs what it costs on a large one. Each of its processes
/// stands for a group of neighbours, and has their blocks (gather, allgather, ...) or the same
/// vector (reduce, bcast, ...). Its start-up times are longer by the factor by which
/// the start-up times in the formula grow with P, its transfer and combining times by the factor by
/// which those do; pieces are as many fewer as its processes. So equal arrivals take as long
/// as by the formula, and the simulation says what is left: how the algorithm meets the arrivals.
/// Cost: that of simulating `ranks` processes, whatever P is. Source: own, see docs/auto.md.
struct SmallMachine {
  Problem problem;
  CostModel model;

  /// For problems of at most `most_exact` processes the machine as it is.
  SmallMachine(const Algorithm& algorithm, const Problem& whole, const CostModel& model,
               int most_exact = most_simulated);
};

/// Which process of a group stands for it, for groups 0 .. small - 1: the root for its own, and of
/// the others who comes first and who comes last, whoever that is in the end, for the groups where
/// they were expected; in the rest one by chance, but the same in equal calls. O(P).
class Sample {
 public:
  Sample(const ArrivalPattern& pattern, int root, int small);
  /// Their arrivals and half widths. O(P).
  ArrivalPattern of(const ArrivalPattern& pattern) const;

 private:
  /// Of all but the root.
  std::pair<int, int> first_and_last(const ArrivalPattern& pattern) const;

  std::vector<int> rank_;  ///< of the large machine, by rank of the small one; empty: all
  int root_ = 0, first_group_ = 0, last_group_ = 0;
};

/// An algorithm's plan for a forecast, to be played with other arrivals; above `most_exact`
/// processes on a small machine. A dynamic algorithm plans anew for the arrivals as they come.
class Planned {
 public:
  /// `planned`: what the plan is made from; `forecast`: who stands for whom.
  Planned(const Algorithm& algorithm, const Problem& whole, const ArrivalPattern& forecast,
          const ArrivalPattern& planned, const CostModel& model, int most_exact = most_simulated);
  Planned(const Algorithm& algorithm, const Problem& whole, const ArrivalPattern& forecast,
          const CostModel& model, int most_exact = most_simulated)
      : Planned(algorithm, whole, forecast, forecast, model, most_exact) {}

  /// See reading_for(); of an algorithm in rounds.
  Reading reading_by_rule() const;
  /// Simulated, seconds, for arrivals of the whole machine.
  double run_time_s(const ArrivalPattern& pattern) const;
  /// By how much the logarithm of that time, which is `run_time_s`, grows with the logarithm of
  /// what all processes share (CostModel::shared). 0: nothing is, or it is hidden.
  double shared_share(const ArrivalPattern& pattern, double run_time_s) const;

 private:
  double run_time_s(const ArrivalPattern& pattern, const CostModel& model) const;

  const Algorithm* algorithm_;
  SmallMachine machine_;
  Sample sample_;
  ArrivalPattern forecast_;
  std::optional<Simulator> plan_;  ///< none of a dynamic algorithm
};

}  // namespace pat
