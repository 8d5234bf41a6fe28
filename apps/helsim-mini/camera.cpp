#include "apps/helsim-mini/camera.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace helsim {
namespace {

Vec3 corner(const Grid& grid, int n) {
  return {n & 1 ? grid.length[0] : 0.0, n & 2 ? grid.length[1] : 0.0, n & 4 ? grid.length[2] : 0.0};
}

}  // namespace

Camera::Camera(const Grid& grid, const View& view, double turn_deg, int width, int height)
    : width_(width), height_(height) {
  const double degree = std::numbers::pi / 180.0;
  const double azimuth = (view.azimuth_deg + turn_deg) * degree;
  const double elevation = view.elevation_deg * degree;
  // At azimuth and elevation 0 one looks along +y, with x to the right and z up.
  right_ = {std::cos(azimuth), std::sin(azimuth), 0.0};
  forward_ = {-std::sin(azimuth) * std::cos(elevation), std::cos(azimuth) * std::cos(elevation),
              -std::sin(elevation)};
  up_ = cross(right_, forward_);
  for (int a = 0; a < 3; ++a) centre_[a] = 0.5 * grid.length[a];
  double across = 0.0, high = 0.0;
  for (int n = 0; n < 8; ++n) {
    Vec3 from_centre = corner(grid, n);
    for (int a = 0; a < 3; ++a) from_centre[a] -= centre_[a];
    across = std::max(across, std::abs(dot(from_centre, right_)));
    high = std::max(high, std::abs(dot(from_centre, up_)));
    distance_ = std::max(distance_, std::sqrt(dot(from_centre, from_centre)));
  }
  scale_ = 0.47 * std::min(width / across, height / high);
}

Vec3 Camera::project(const Vec3& point) const {
  const Vec3 from_centre{point[0] - centre_[0], point[1] - centre_[1], point[2] - centre_[2]};
  return {0.5 * width_ + scale_ * dot(from_centre, right_),
          0.5 * height_ - scale_ * dot(from_centre, up_), distance_ + dot(from_centre, forward_)};
}

Vec3 Camera::point(double column, double row, double depth) const {
  const double x = (column - 0.5 * width_) / scale_, y = (0.5 * height_ - row) / scale_;
  const double z = depth - distance_;
  Vec3 at;
  for (int a = 0; a < 3; ++a) at[a] = centre_[a] + x * right_[a] + y * up_[a] + z * forward_[a];
  return at;
}

std::vector<int> front_to_back(const Domain& domain, const Camera& camera) {
  // Along each axis blocks lie one behind the other; which way follows from the direction of sight.
  std::vector<Int3> place;
  for (int r = 0; r < domain.ranks(); ++r) {
    Int3 at = domain.coordinates_of(r);
    for (int a = 0; a < 3; ++a)
      if (camera.forward()[a] < 0.0) at[a] = domain.blocks()[a] - 1 - at[a];
    place.push_back(at);
  }
  std::vector<int> order(place.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return place[a] < place[b]; });
  return order;
}

}  // namespace helsim
