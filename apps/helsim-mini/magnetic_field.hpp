#pragma once

#include <cmath>

#include "apps/helsim-mini/grid.hpp"

namespace helsim {

inline double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The given magnetic field: a uniform one and a dipole whose centre is smoothed over `core`. The
/// dipole is the curl of m x r / (r^2 + core^2)^(3/2), so it has no divergence anywhere.
struct MagneticField {
  Vec3 uniform{};
  Vec3 moment{};
  Vec3 centre{};
  double core = 1.0;

  bool zero() const { return dot(uniform, uniform) == 0.0 && dot(moment, moment) == 0.0; }
  bool has_dipole() const { return dot(moment, moment) > 0.0; }

  Vec3 at(const Vec3& position) const {
    if (!has_dipole()) return uniform;
    Vec3 r;
    for (int a = 0; a < 3; ++a) r[a] = position[a] - centre[a];
    const double r2 = dot(r, r), s2 = r2 + core * core;
    const double s5 = s2 * s2 * std::sqrt(s2), mr = dot(moment, r);
    Vec3 field = uniform;
    for (int a = 0; a < 3; ++a)
      field[a] += (moment[a] * (2.0 * core * core - r2) + 3.0 * r[a] * mr) / s5;
    return field;
  }
};

}  // namespace helsim
