#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "apps/helsim-mini/options.hpp"
#include "apps/helsim-mini/particle_file.hpp"
#include "core/trace.hpp"

namespace helsim {

/// Work that is left for rank 0 when MPI has ended: programs to run, each in the output directory.
struct Afterwards {
  std::string directory;
  bool film = false;
  std::vector<std::string> plots;
};

/// What has been read and found to be in order.
struct Prepared {
  std::string cases;   ///< JSON text
  std::string source;  ///< what errors call it
  std::optional<SavedParticles> start;
  std::optional<pat::Trace> trace;  ///< to be studied
};

/// Reads the input, checks the options against it and makes the output directory. What it throws is
/// thrown on all processes. Collective.
Prepared prepare(MPI_Comm comm, const Options& options);

/// The simulation with its pictures, then what else was asked for. Collective; PAT must be running.
Afterwards run(MPI_Comm comm, const Options& options, Prepared prepared);

}  // namespace helsim
