#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/simgrid/knowledge.hpp"
#include "bench/simgrid/machine.hpp"
#include "collectives/operation.hpp"

namespace pat::simulated {

/// One collective call on a simulated machine. All processes start to compute together, each as
/// long as the pattern says, and all of them are told the same of the arrivals.
struct Experiment {
  Machine machine;
  Operation operation = no_operation;
  std::string algorithm;            ///< a registered name, or "mpi:SELECTOR" as in selectors()
  std::string background = "none";  ///< see make_background()
  std::string pattern = "none";     ///< see measure::make_delays()
  std::uint64_t seed = 1;           ///< of the pattern
  std::uint64_t iteration = 0;      ///< of the pattern: those before it can be learnt from
  Knowledge knowledge;              ///< what algorithms are told of the arrivals
  std::size_t bytes = 0;            ///< the whole vector: what `pat bench --size` is
  std::vector<std::string> config;  ///< more of SimGrid's settings, "network/crosstraffic:0"
  int window = 0;                   ///< see Problem::window
  bool simulate = true;             ///< ask our own `simulate` too
};

/// Seconds. Plain numbers, so that they go through a pipe as they are.
struct Times {
  double run_s = 0.0;           ///< last exit - first arrival
  double mean_elapsed_s = 0.0;  ///< mean over the processes of exit - arrival
  /// run_s by collectives/cost/simulate for the same schedule; negative: none,
  /// as for background algorithms without a background.
  double hockney_run_s = -1.0;
  /// What no call of the operation can stay under (collectives/cost/bound); negative: no bound.
  double bound_s = -1.0;
};

/// "gather, scatter and reduce" with `last` = " and ": the operations that can be simulated, those
/// that move data and have a schedule or a call of MPI's own; not among neighbours, which SimGrid's
/// MPI has no call of.
std::string simulated_operations(std::string_view last, std::string_view separator = ", ");

/// Throws Error(argument) unless the operation is one of them.
void require_simulated(Operation operation);

/// What SMPI offers for an operation after "mpi:": the decision rules of libraries (ompi, mpich,
/// mvapich2), then single algorithms of STAR-MPI that follow arrivals.
std::vector<std::string> selectors(Operation operation);

/// Throws Error(argument) unless run() can do it.
void validate(const Experiment& experiment);

/// Runs the experiment. The simulator can run once in a process: call this in a fresh one. Throws
/// Error(argument) as validate() and Error(internal) with rank and index for a wrong result.
Times run(const Experiment& experiment);

}  // namespace pat::simulated
