#pragma once

#include <string>
#include <vector>

#include "apps/helsim-mini/saved_particles.hpp"
#include "apps/helsim-mini/simulation.hpp"

namespace helsim {

/// Writes all particles: a line "helsim-particles 1", a line of JSON (cells, time, particles of
/// each species), then the particles of each species by id as they are in memory (id, position,
/// velocity; 56 bytes each, this machine's byte order). The file is the same for every process
/// count; it appears under `path` only when it is complete. Throws pat::Error(io) on rank 0.
/// Collective.
void save_particles(const Simulation& simulation, const std::string& path);

/// Reads such a file on rank 0 and deals it out: each process gets those in its block. Throws
/// pat::Error(io) on all processes if it cannot be read or does not belong to the case. Collective.
SavedParticles load_particles(MPI_Comm comm, const Case& setup, const std::string& path);

/// Text of a file, read on rank 0. Throws pat::Error(io) on all processes. Collective.
std::string read_text(MPI_Comm comm, const std::string& path);

}  // namespace helsim
