#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/simgrid/machine.hpp"
#include "bench/simgrid/meeting.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/cost/calibration.hpp"
#include "core/config.hpp"
#include "libpat/agreement/signature.hpp"

namespace pat::simulated {

/// What is played.
struct Trial {
  std::string machine_name = "star:48", operation_name = "allreduce", algorithm_name = "auto",
              pattern = "uniform:5ms";
  std::size_t bytes = std::size_t{1} << 20;  ///< in all, or a vector
  double base_s = 20e-3;                     ///< of each computing phase, beside the delay
  double edge = 0.5;                         ///< share of the phase at which it is told; 0: nowhere
  int calls = 40, warm_up = 20;
  std::uint64_t seed = 1;

  Machine machine;
  detail::CallSignature signature;
  const Algorithm* forced = nullptr;   ///< null: auto
  const Algorithm* library = nullptr;  ///< what MPI's own is taken to run
  Config config;
  Calibration calibration;                    ///< nothing is
  std::vector<std::vector<double>> delays_s;  ///< by call and rank
};

/// What one process has seen of the calls after the first ones.
struct Seen {
  double waited_s = 0.0, longest_wait_s = 0.0;  ///< for decisions
  double busy_s = 0.0;                          ///< its daemon, and its calls but for waiting
  std::size_t messages = 0;                     ///< sent
  int calls_waited = 0, decisions = 0;
};

/// One process of the program, in the place of `rank` of MPI_COMM_WORLD: it computes and calls,
/// again and again, and all meet in each call. Collective, in an actor of SimGrid's that has called
/// MPI_Init.
Seen compute_and_call(const Trial& trial, int rank, Meeting& meeting);

}  // namespace pat::simulated
