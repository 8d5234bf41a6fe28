#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "apps/helsim-mini/study.hpp"
#include "core/trace.hpp"

namespace helsim {

/// What is replayed of a study.
struct ReplayPlan {
  std::vector<std::size_t> sizes;       ///< bytes of a picture
  std::vector<std::string> reductions;  ///< names that AnyReduction takes
  std::vector<std::string> predictors;  ///< one row each for reductions that follow the pattern
  std::vector<double> edges;            ///< fractions at which progress is reported; may be empty
  int steps = 100;
  double dilate = 1.0;             ///< stretches the render times, shrinks what is measured
  double lateness_limit_s = 5e-3;  ///< steps with a later wake-up are left out and counted
};

/// What the names in a --reduce list stand for; an empty list: every reduction there is. Throws
/// pat::Error(argument) for a name that is none.
std::vector<std::string> replay_reductions(const std::string& list);

/// Throws pat::Error(argument) if the trace is not one of `ranks` processes, or a size no picture.
void check_replay(const ReplayPlan& plan, const pat::Trace& trace, int ranks);

/// The study on real reductions: in each step every process sleeps as long as it rendered in the
/// trace, tells PAT about it as the program does, and composites a picture with the depth test. All
/// rows of a size are interleaved step by step; the balanced time comes from steps in which all
/// sleep for the mean time. Each result is compared with MPI_Reduce's bit by bit: throws pat::Error
/// (internal) on all ranks for a wrong one. Prints the table on rank 0, once: at the end, or what
/// there is when a signal asks for it. Collective over `comm`; PAT must be running.
void replay_study(MPI_Comm comm, const pat::Trace& trace, const ReplayPlan& plan,
                  const std::string& format);

}  // namespace helsim
