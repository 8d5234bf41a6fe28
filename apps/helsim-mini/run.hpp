#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "apps/helsim-mini/options.hpp"

namespace helsim {

/// Work that is left for rank 0 when MPI has ended: programs to run, each in the output directory.
struct Afterwards {
  std::string directory;
  bool film = false;
  std::vector<std::string> plots;
};

/// Reads the case and makes the output directory. What it throws is thrown on all processes.
/// Collective.
struct Prepared {
  std::string cases;
  std::string source;
};
Prepared prepare(MPI_Comm comm, const Options& options);

/// The simulation with its pictures, then what else was asked for. Collective; PAT must be running.
Afterwards run(MPI_Comm comm, const Options& options, const Prepared& prepared);

}  // namespace helsim
