#include "apps/helsim-mini/volume.hpp"

namespace helsim {

Volume::Volume(const Scene& scene, const Camera& camera, double level)
    : scene_(scene),
      camera_(camera),
      grid_(scene.domain->grid()),
      block_(scene.domain->box()),
      nodes_(scene.domain->node_box()),
      step_(0.5 * std::min({grid_.spacing(0), grid_.spacing(1), grid_.spacing(2)})) {
  find_occupied(level);
  if (active_.volume() == 0) {
    left_ = right_ = top_ = bottom_ = 0;
    return;
  }
  double least[2] = {1e300, 1e300}, most[2] = {-1e300, -1e300};
  for (int n = 0; n < 8; ++n) {
    Vec3 corner;
    for (int a = 0; a < 3; ++a)
      corner[a] = grid_.spacing(a) * (n >> a & 1 ? active_.hi[a] : active_.lo[a]);
    const Vec3 at = camera.project(corner);
    for (int a = 0; a < 2; ++a) {
      least[a] = std::min(least[a], at[a]);
      most[a] = std::max(most[a], at[a]);
    }
  }
  left_ = std::clamp(static_cast<int>(least[0]) - 1, 0, camera.width());
  right_ = std::clamp(static_cast<int>(most[0]) + 2, 0, camera.width());
  top_ = std::clamp(static_cast<int>(least[1]) - 1, 0, camera.height());
  bottom_ = std::clamp(static_cast<int>(most[1]) + 2, 0, camera.height());
}

bool Volume::above(int i, int j, int k, double level) const {
  for (int n = 0; n < 8; ++n)
    if ((*scene_.density)[nodes_.index(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2))] > level)
      return true;
  return false;
}

void Volume::find_occupied(double level) {
  occupied_.assign(block_.volume(), 0);
  active_ = {block_.hi, block_.lo};
  for (int k = block_.lo[2]; k < block_.hi[2]; ++k)
    for (int j = block_.lo[1]; j < block_.hi[1]; ++j)
      for (int i = block_.lo[0]; i < block_.hi[0]; ++i) {
        if (!above(i, j, k, level)) continue;
        occupied_[block_.index(i, j, k)] = 1;
        const Int3 cell{i, j, k};
        for (int a = 0; a < 3; ++a) {
          active_.lo[a] = std::min(active_.lo[a], cell[a]);
          active_.hi[a] = std::max(active_.hi[a], cell[a] + 1);
        }
      }
}

/// Cuts [enter, leave] down to the depths at which the line is between the faces of the active box
/// across one axis.
void Volume::narrow(double origin, int axis, double& enter, double& leave) const {
  const double lo = grid_.spacing(axis) * active_.lo[axis];
  const double hi = grid_.spacing(axis) * active_.hi[axis];
  const double slope = camera_.forward()[axis];
  if (std::abs(slope) < 1e-12) {
    const double slack = 1e-9 * grid_.length[axis];
    if (origin < lo - slack || origin > hi + slack) leave = -1.0;
    return;
  }
  const double a = (lo - origin) / slope, b = (hi - origin) / slope;
  enter = std::max(enter, std::min(a, b));
  leave = std::min(leave, std::max(a, b));
}

Sample Volume::sample(double depth, const Vec3& place) const {
  const Cloud cloud(grid_, nodes_, place);
  Sample result;
  result.depth = depth;
  result.value = cloud.gather(*scene_.density);
  Vec3 f;
  for (int a = 0; a < 3; ++a) grid_.cell(place[a], a, f[a]);
  for (int axis = 0; axis < 3; ++axis) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    for (int n = 0; n < 8; ++n) {
      const double share = (n >> b & 1 ? f[b] : 1.0 - f[b]) * (n >> c & 1 ? f[c] : 1.0 - f[c]);
      const double sign = n >> axis & 1 ? 1.0 : -1.0;
      result.gradient[axis] += sign * share * (*scene_.density)[cloud.node[n]];
    }
    result.gradient[axis] /= grid_.spacing(axis);
    result.slope += result.gradient[axis] * camera_.forward()[axis];
  }
  return result;
}

}  // namespace helsim
