#pragma once

#include <cstdint>
#include <vector>

#include "apps/helsim-mini/camera.hpp"
#include "apps/helsim-mini/simulation.hpp"

namespace helsim {

/// A ball in the picture.
struct Mark {
  Vec3 centre{};
  double radius = 0.0;   ///< in units of length; below half a pixel it becomes one pixel
  std::uint64_t id = 0;  ///< decides who is seen where two are equally near
  Vec3 colour{};         ///< red, green, blue, 0 to 1
};

/// What one process draws: its block of the density, and the balls that may reach into its block.
struct Scene {
  const Domain* domain = nullptr;
  const View* view = nullptr;
  const std::vector<double>* density = nullptr;  ///< on the nodes of the block with halo
  std::vector<Mark> marks;
};

/// Collects the particles to be drawn (with those of neighbours that stick out into this block),
/// the edges of the box and the ball in the middle of the dipole. The simulation must outlive the
/// scene and not move on meanwhile. Collective: exchanges particles with the neighbours.
Scene make_scene(const Simulation& simulation, const Camera& camera);

}  // namespace helsim
