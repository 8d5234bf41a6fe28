#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/helsim-mini/grid.hpp"

namespace helsim {

/// One particle as it travels between processes and into files.
struct Particle {
  std::uint64_t id = 0;  ///< unique in the run; the same for every process count
  Vec3 position{};
  Vec3 velocity{};
};
static_assert(sizeof(Particle) == 56, "travels as bytes");

/// The particles of one species on one process: one array per quantity. Their order means nothing.
struct Particles {
  std::array<std::vector<double>, 3> position;  ///< in [0, length]
  std::array<std::vector<double>, 3> velocity;  ///< half a step behind the positions
  std::vector<std::uint64_t> id;

  std::size_t size() const { return id.size(); }
  Particle get(std::size_t n) const {
    return {id[n],
            {position[0][n], position[1][n], position[2][n]},
            {velocity[0][n], velocity[1][n], velocity[2][n]}};
  }
  void add(const Particle& particle) {
    id.push_back(particle.id);
    for (int a = 0; a < 3; ++a) {
      position[a].push_back(particle.position[a]);
      velocity[a].push_back(particle.velocity[a]);
    }
  }
  /// Takes particle n out; the last one moves into its place.
  void remove(std::size_t n) {
    id[n] = id.back();
    id.pop_back();
    for (int a = 0; a < 3; ++a) {
      position[a][n] = position[a].back();
      position[a].pop_back();
      velocity[a][n] = velocity[a].back();
      velocity[a].pop_back();
    }
  }
};

}  // namespace helsim
