#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "core/trace.hpp"

namespace helsim {

/// What the computing times of a trace are measured with.
enum class RenderClock {
  wall,  ///< the clock on the wall; on shared cores it also measures the other processes
  cpu    ///< processor time over threads: what the work takes on cores of one's own
};

/// When one process began to draw a picture, was done with it, and left the reduction; seconds
/// on a clock that all processes share.
struct StepTimes {
  double start_s = 0.0;
  double arrival_s = 0.0;
  double exit_s = 0.0;
  double computing_s = 0.0;  ///< by the chosen clock
  double particles = 0.0;    ///< in this process's block
};

/// Processor time of this process in seconds, divided by its number of threads.
double cpu_seconds(int threads);

/// The steps of all processes on rank 0 (step by step, one entry per rank); empty elsewhere.
/// Collective.
std::vector<std::vector<StepTimes>> gather_times(MPI_Comm comm, const std::vector<StepTimes>& own);

/// The trace of the render times: arrivals after each step's first start, computing times, and the
/// number of particles as a hint. With
/// the processor clock the starts are taken as equal, so that the arrivals are the computing times.
pat::Trace render_trace(const std::vector<std::vector<StepTimes>>& times, RenderClock clock,
                        const std::string& origin);

/// Sum over the steps of the last exit minus the first arrival, seconds.
double accumulated_run_time_s(const std::vector<std::vector<StepTimes>>& times);

}  // namespace helsim
