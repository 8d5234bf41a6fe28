#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "collectives/schedule.hpp"
#include "core/arrival_pattern.hpp"
#include "core/link_defaults.hpp"

namespace pat {

/// What messages take of something that all processes share, cores that are fewer than they are:
/// each occupies it for message_s + n s_per_byte, one after the other as they set out, and ends no
/// sooner. Source: own, see docs/auto.md.
struct SharedCost {
  double message_s = 0.0, s_per_byte = 0.0;

  bool any() const { return message_s > 0.0 || s_per_byte > 0.0; }
  double of(double bytes) const { return message_s + bytes * s_per_byte; }
  SharedCost times(double factor) const { return {factor * message_s, factor * s_per_byte}; }
};

/// Hockney's model with single-port full-duplex processes: a message of n bytes takes
/// alpha + n beta and holds the sender's outgoing and the receiver's incoming port meanwhile;
/// combining n bytes takes n gamma. A transfer starts when the send and its receive are both ready
/// and both ports are free; among transfers that could start, the one that has waited longest goes
/// first, then the lower receiver, then the lower sender.
struct CostModel {
  double alpha_s = link_defaults::alpha_s;
  double beta_s_per_byte = link_defaults::beta_s_per_byte;
  double gamma_s_per_byte = link_defaults::gamma_s_per_byte;
  /// Copying within a process; it leaves the ports free.
  double copy_s_per_byte = 0.0;
  /// Combining leaves the ports free (Benoit, Canon, Marchal 2013). Off: it holds both (the other
  /// papers), and waits for transfers under way to end unless messages leave unasked (eager_bytes):
  /// where vectors travel in many pieces its waiting for two ports would leave one of them idle
  /// after each, which nothing that was measured does.
  bool overlap = false;
  /// Extra share of the transfer time for each other message that waits for the same incoming port,
  /// counted over the time for which it waits; 0 is a network without incast trouble.
  double incast = 0.0;
  /// Extra time of a transfer during which at any moment another message waited for its port: the
  /// network lost something and took that long to notice.
  double incast_stall_s = 0.0;
  /// The most that all waiting messages together add by `incast`, as a share of the transfer
  /// time.
  double incast_most = std::numeric_limits<double>::infinity();
  /// Messages of at most so many bytes set out when they are sent, whether or not the receiver has
  /// come; larger ones wait until it asks for them.
  std::size_t eager_bytes = 0;
  /// Per rank: how many times as long its own link takes for a byte; empty: all alike. A message
  /// takes as long as the slower of its ends, and holds the port of the other only for as long as
  /// that one's link needs.
  std::vector<double> link_slowdown = {};
  SharedCost shared = {};  ///< nothing: each process has a core for itself
};

/// The model of such links, nothing overlapped.
CostModel cost_model(const LinkCost& cost);

/// The model with all its times multiplied (for equal arrivals that multiplies the run time): how a
/// measured time that differs from the simulated one enters. Waiting for a late process is not
/// multiplied, communication is.
CostModel corrected(const CostModel& model, double correction);

/// What simulate() finds. Times in seconds, on the time axis of the arrival pattern.
struct Timing {
  std::vector<double> arrival_s;              ///< per rank, as given
  std::vector<double> exit_s;                 ///< per rank: its last operation is done
  std::vector<std::vector<double>> op_end_s;  ///< per rank and operation

  /// Last exit minus first arrival (Proficz 2020 Eq. 1).
  double run_time_s() const;
  /// Mean over ranks of exit minus arrival (Proficz 2020 Eq. 2).
  double mean_elapsed_s() const;
};

/// A schedule made ready to be played, once or under many arrivals: checked, its messages paired.
/// It keeps nothing of the schedule that it is made from, which must have the programs of all
/// ranks. Its constructor throws Error(internal) for a schedule with a fault of structure.
class Simulator {
 public:
  explicit Simulator(const Schedule& schedule);
  int ranks() const { return static_cast<int>(first_step_.size()) - 1; }
  /// Plays it under the model; deterministic. Throws Error(internal) if it cannot end (run verify()
  /// for the reason) and Error(argument) for a bad pattern or model.
  Timing run(const ArrivalPattern& pattern, const CostModel& model) const;

 private:
  class Play;

  /// One operation, with what its time depends on.
  struct Step {
    OpKind kind;
    int rank, peer;
    std::uint32_t partner;  // the step at the other end of a message, or none
    std::size_t bytes;
    bool asks;
  };
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  void list_dependents(const Schedule& schedule);
  void pair_messages(const Schedule& schedule);

  std::vector<Step> steps_;                // rank by rank
  std::vector<std::uint32_t> first_step_;  // rank r has first_step_[r] .. first_step_[r + 1]
  std::vector<std::uint32_t> waits_;       // by step: for how many others
  std::vector<std::uint32_t> dependents_;  // those of step i are first_[i] .. first_[i + 1]
  std::vector<std::uint32_t> first_;
};

/// Plays the schedule once: see Simulator.
Timing simulate(const Schedule& schedule, const ArrivalPattern& pattern, const CostModel& model);

}  // namespace pat
