#pragma once

#include <string>
#include <vector>

#include "apps/helsim-mini/case.hpp"
#include "apps/helsim-mini/particles.hpp"

namespace helsim {

/// The first line of a file of particles (apps/helsim-mini/particle_file.hpp).
inline constexpr const char* particle_file_signature = "helsim-particles 1";

struct SavedParticles {
  double time = 0.0;
  std::vector<Particles> species;
};

/// Reads the bytes of such a file; `path` is what to call it in errors. Of each species it takes
/// what lies in `box`. Throws pat::Error(io) if it is damaged or does not belong to the case. No
/// MPI in it.
SavedParticles parse_particles(const std::string& bytes, const Case& setup, const Box& box,
                               const std::string& path);

}  // namespace helsim
