#include "apps/helsim-mini/loading.hpp"

#include <cmath>
#include <numbers>

#include "apps/helsim-mini/hash.hpp"
#include "apps/helsim-mini/push.hpp"

namespace helsim {
namespace {

/// Random numbers that depend on a key and nothing else (a scrambled counter).
class Random {
 public:
  explicit Random(std::uint64_t key) : state_(scramble(key)) {}
  /// Uniform in (0, 1).
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53; }
  /// Gaussian with mean 0 and standard deviation 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t next() { return scramble(state_ += 0x9e3779b97f4a7c15ull); }
  std::uint64_t state_;
};

int particles_in(const Grid& grid, const SpeciesCase& species, const Int3& cell) {
  if (!species.blob) return species.per_cell;
  double r2 = 0.0;
  for (int a = 0; a < 3; ++a) {
    const double r = (cell[a] + 0.5) * grid.spacing(a) - species.blob->centre[a];
    r2 += r * r;
  }
  const double radius2 = species.blob->radius * species.blob->radius;
  return static_cast<int>(
      std::lround(species.per_cell * (1.0 + species.blob->peak * std::exp(-r2 / radius2))));
}

/// Moves the particle by the wave, along its wave vector.
void displace(const Grid& grid, const Wave& wave, Vec3& position) {
  if (wave.amplitude == 0.0) return;
  Vec3 k;
  for (int a = 0; a < 3; ++a) k[a] = 2.0 * std::numbers::pi * wave.mode[a] / grid.length[a];
  const double shift = wave.amplitude * std::sin(dot(k, position)) / std::sqrt(dot(k, k));
  for (int a = 0; a < 3; ++a) position[a] = wrap(position[a] + shift * k[a], grid.length[a]);
}

}  // namespace

Particles load(const Domain& domain, const Case& setup, int index) {
  const Grid& grid = domain.grid();
  const SpeciesCase& species = setup.species[index];
  const Box& box = domain.box();
  Particles particles;
  for (int k = box.lo[2]; k < box.hi[2]; ++k)
    for (int j = box.lo[1]; j < box.hi[1]; ++j)
      for (int i = box.lo[0]; i < box.hi[0]; ++i) {
        const std::uint64_t cell = grid.box().index(i, j, k);
        const int count = particles_in(grid, species, {i, j, k});
        for (int n = 0; n < count; ++n) {
          // Species share the places (a start without charge) but not the velocities.
          const std::uint64_t place = (cell << 20) + static_cast<std::uint64_t>(n);
          Random where(place ^ (setup.seed << 56));
          Random speed(place ^ (setup.seed << 56) ^
                       ((static_cast<std::uint64_t>(index) + 1) << 48));
          Particle p;
          p.id = (static_cast<std::uint64_t>(index) << 56) + place;
          const Int3 at{i, j, k};
          for (int a = 0; a < 3; ++a) {
            const double even = a == 0 ? (n + 0.5) / count : 0.5;
            const double inside = species.lattice ? even : where.uniform();
            p.position[a] = wrap((at[a] + inside) * grid.spacing(a), grid.length[a]);
            p.velocity[a] = species.drift[a];
            if (species.thermal_speed > 0.0)
              p.velocity[a] += species.thermal_speed * speed.normal();
          }
          displace(grid, species.wave, p.position);
          particles.add(p);
        }
      }
  return particles;
}

}  // namespace helsim
