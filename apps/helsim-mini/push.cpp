#include "apps/helsim-mini/push.hpp"

#include <cmath>
#include <cstdint>

#include "apps/helsim-mini/cloud.hpp"

namespace helsim {
namespace {

/// Turns v by the magnetic field over a step: angle 2 atan(|t|) about t.
Vec3 rotate(const Vec3& v, const Vec3& t) {
  const double s = 2.0 / (1.0 + dot(t, t));
  const Vec3 vt = cross(v, t);
  const Vec3 turned = cross({v[0] + vt[0], v[1] + vt[1], v[2] + vt[2]}, t);
  return {v[0] + s * turned[0], v[1] + s * turned[1], v[2] + s * turned[2]};
}

}  // namespace

double accelerate(const Domain& domain, const VectorField& electric, const MagneticField& magnetic,
                  double charge_to_mass, double step, Particles& particles) {
  const double half = 0.5 * charge_to_mass * step;
  const bool rotates = !magnetic.zero();
  const auto count = static_cast<std::int64_t>(particles.size());
  double energy = 0.0;
#pragma omp parallel for reduction(+ : energy)
  for (std::int64_t n = 0; n < count; ++n) {
    const Vec3 position{particles.position[0][n], particles.position[1][n],
                        particles.position[2][n]};
    const Cloud cloud(domain.grid(), domain.node_box(), position);
    Vec3 kick, v;
    for (int a = 0; a < 3; ++a) {
      kick[a] = half * cloud.gather(electric[a]);
      v[a] = particles.velocity[a][n] + kick[a];
    }
    energy += 0.5 * dot(v, v);
    if (rotates) {
      const Vec3 b = magnetic.at(position);
      v = rotate(v, {half * b[0], half * b[1], half * b[2]});
    }
    for (int a = 0; a < 3; ++a) particles.velocity[a][n] = v[a] + kick[a];
  }
  return energy;
}

double wrap(double coordinate, double length) {
  const double wrapped = coordinate - length * std::floor(coordinate / length);
  return wrapped >= 0.0 && wrapped < length ? wrapped : 0.0;
}

void drift(const Grid& grid, double step, Particles& particles) {
  const auto count = static_cast<std::int64_t>(particles.size());
  for (int a = 0; a < 3; ++a)
#pragma omp parallel for
    for (std::int64_t n = 0; n < count; ++n)
      particles.position[a][n] =
          wrap(particles.position[a][n] + step * particles.velocity[a][n], grid.length[a]);
}

}  // namespace helsim
