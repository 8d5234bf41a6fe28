#pragma once

#include <vector>

#include "apps/helsim-mini/case.hpp"
#include "apps/helsim-mini/domain.hpp"

namespace helsim {

/// A parallel projection that shows the whole box. Pixels count from the top left; depth is the
/// distance along the line of sight from a plane in front of the box, in units of length.
class Camera {
 public:
  Camera(const Grid& grid, const View& view, double turn_deg, int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  /// Pixels per unit of length.
  double scale() const { return scale_; }
  /// Direction of sight, into the picture.
  const Vec3& forward() const { return forward_; }

  /// (pixel column, pixel row, depth) of a point.
  Vec3 project(const Vec3& point) const;
  /// The point at a depth behind a place of the picture.
  Vec3 point(double column, double row, double depth) const;

 private:
  int width_, height_;
  double scale_ = 1.0;
  double distance_ = 0.0;
  Vec3 centre_{}, right_{}, up_{}, forward_{};
};

/// Ranks of the domain from front to back, such that no block hides any part of an earlier one.
std::vector<int> front_to_back(const Domain& domain, const Camera& camera);

}  // namespace helsim
