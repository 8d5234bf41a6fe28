#include "apps/helsim-mini/marks.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

namespace helsim {
namespace {

/// Whether the block holds the point; what sticks out of the box belongs to the nearest cell.
bool holds(const Domain& domain, Vec3 point) {
  const Grid& grid = domain.grid();
  for (int a = 0; a < 3; ++a) point[a] = std::clamp(point[a], 0.0, grid.length[a]);
  return domain.box().contains(grid.cell_of(point));
}

std::uint8_t level(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 1.0) * 255.0 + 0.5);
}

class Painter {
 public:
  Painter(const Scene& scene, const Camera& camera, Image<DepthPixel>& image)
      : scene_(scene), camera_(camera), image_(image) {}

  /// Draws the rows [top, bottom) of a ball.
  void draw(const Mark& mark, int top, int bottom) {
    const Vec3 at = camera_.project(mark.centre);
    const double radius = mark.radius * camera_.scale();
    if (radius < 0.75) {
      const double column = std::floor(at[0]), row = std::floor(at[1]);
      if (row >= top && row < bottom) dot_at(mark, column, row, at[2], 1.0);
      return;
    }
    const double first = std::max<double>(top, std::ceil(at[1] - radius - 0.5));
    const double last = std::min<double>(bottom - 1, std::floor(at[1] + radius - 0.5));
    for (double row = first; row <= last; ++row) {
      const double dy = (row + 0.5 - at[1]) / radius;
      const double half = radius * std::sqrt(std::max(0.0, 1.0 - dy * dy));
      for (double column = std::ceil(at[0] - half - 0.5); column <= at[0] + half - 0.5; ++column) {
        const double dx = (column + 0.5 - at[0]) / radius;
        const double bulge = std::sqrt(std::max(0.0, 1.0 - dx * dx - dy * dy));
        dot_at(mark, column, row, at[2] - mark.radius * bulge, 0.35 + 0.65 * bulge);
      }
    }
  }

 private:
  void dot_at(const Mark& mark, double column, double row, double depth, double light) {
    if (column < 0.0 || column >= image_.width) return;
    DepthPixel& pixel = image_.at(static_cast<int>(column), static_cast<int>(row));
    const DepthPixel dot{{level(light * mark.colour[0]), level(light * mark.colour[1]),
                          level(light * mark.colour[2]), 255},
                         static_cast<float>(depth),
                         mark.id};
    if (!holds(*scene_.domain, camera_.point(column + 0.5, row + 0.5, depth))) return;
    pixel = nearer(dot, pixel);
  }

  const Scene& scene_;
  const Camera& camera_;
  Image<DepthPixel>& image_;
};

}  // namespace

void draw_marks(const Scene& scene, const Camera& camera, Image<DepthPixel>& image) {
  const int bands = omp_get_max_threads();  // each draws what falls into its rows
#pragma omp parallel for
  for (int band = 0; band < bands; ++band) {
    Painter painter(scene, camera, image);
    const int top = image.height * band / bands, bottom = image.height * (band + 1) / bands;
    for (const Mark& mark : scene.marks) painter.draw(mark, top, bottom);
  }
}

}  // namespace helsim
