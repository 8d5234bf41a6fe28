#include "apps/helsim-mini/scene.hpp"

#include <algorithm>
#include <cmath>

#include "apps/helsim-mini/hash.hpp"
#include "apps/helsim-mini/migration.hpp"

namespace helsim {
namespace {

constexpr std::uint64_t landmark_ids = std::uint64_t{1} << 62;  // above all particles

/// Every how-many-th particle, by identity alone and without a pattern in space.
bool is_drawn(std::uint64_t id, int every) {
  return scramble(id + 1) % static_cast<std::uint64_t>(every) == 0;
}

double smallest_spacing(const Grid& grid) {
  return std::min({grid.spacing(0), grid.spacing(1), grid.spacing(2)});
}

/// Species have their own hue; the faster, the lighter.
Vec3 colour(std::uint64_t id, const Vec3& velocity, double speed_scale) {
  constexpr Vec3 slow[] = {{0.10, 0.30, 0.85}, {0.80, 0.20, 0.10}, {0.10, 0.55, 0.25}};
  constexpr Vec3 fast[] = {{0.65, 0.95, 1.00}, {1.00, 0.85, 0.35}, {0.75, 1.00, 0.60}};
  const std::uint64_t species = (id >> 56) % 3;
  const double t = std::min(1.0, std::sqrt(dot(velocity, velocity)) / speed_scale);
  Vec3 mixed;
  for (int a = 0; a < 3; ++a) mixed[a] = slow[species][a] * (1.0 - t) + fast[species][a] * t;
  return mixed;
}

/// Dots along the twelve edges of the box.
void add_edges(const Grid& grid, const Camera& camera, std::vector<Mark>& marks) {
  std::uint64_t id = landmark_ids;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 4; ++side) {
      const int b = (axis + 1) % 3, c = (axis + 2) % 3;
      const int dots = static_cast<int>(camera.scale() * grid.length[axis]) + 1;
      for (int n = 0; n <= dots; ++n) {
        Mark mark;
        mark.centre[axis] = grid.length[axis] * n / dots;
        mark.centre[b] = side & 1 ? grid.length[b] : 0.0;
        mark.centre[c] = side & 2 ? grid.length[c] : 0.0;
        mark.id = id++;
        mark.colour = {0.45, 0.47, 0.52};
        marks.push_back(mark);
      }
    }
}

}  // namespace

Scene make_scene(const Simulation& simulation, const Camera& camera) {
  const Domain& domain = simulation.domain();
  const View& view = simulation.setup().view;
  Scene scene{&domain, &view, &simulation.light_density(), {}};
  std::vector<Particle> drawn;
  for (const Particles& species : simulation.species())
    for (std::size_t n = 0; n < species.size(); ++n)
      if (is_drawn(species.id[n], view.draw_every)) drawn.push_back(species.get(n));
  const double radius = view.particle_radius * smallest_spacing(domain.grid());
  const double reach = std::max(radius, 1.0 / camera.scale());
  const auto ghosts = neighbours_within(domain, drawn, reach);
  drawn.insert(drawn.end(), ghosts.begin(), ghosts.end());
  for (const Particle& p : drawn)
    scene.marks.push_back({p.position, radius, p.id, colour(p.id, p.velocity, view.speed_scale)});
  add_edges(domain.grid(), camera, scene.marks);
  const MagneticField& magnetic = simulation.setup().magnetic;
  if (magnetic.has_dipole())
    scene.marks.push_back(
        {magnetic.centre, 0.6 * magnetic.core, landmark_ids - 1, {0.55, 0.60, 0.70}});
  return scene;
}

}  // namespace helsim
