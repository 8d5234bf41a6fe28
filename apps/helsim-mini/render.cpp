#include "apps/helsim-mini/render.hpp"

#include <algorithm>
#include <cmath>

#include "apps/helsim-mini/marks.hpp"
#include "apps/helsim-mini/volume.hpp"

namespace helsim {
namespace {

constexpr std::uint64_t surface_ids = std::uint64_t{1} << 63;  // behind any ball at the same depth
constexpr double marks_share = 0.25;  // of the work, as a guess for the progress reports
constexpr int reports = 4;

/// When the marks and this many of the parts of the volume are drawn.
double share_done(int parts) {
  return marks_share + (1.0 - marks_share) * parts / double{reports};
}

std::uint8_t level(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 1.0) * 255.0 + 0.5);
}

/// Dark violet over orange to pale yellow for 0 to 1.
Vec3 glow(double t) {
  return {std::min(1.0, 0.25 + 1.3 * t), std::clamp(1.3 * t - 0.25, 0.08, 0.95),
          std::clamp(0.45 - 0.6 * t + std::max(0.0, 1.8 * (t - 0.6)), 0.1, 0.8)};
}

/// Calls line(row) for all rows that the block touches, in parallel, with reports of progress.
template <class Line>
void for_rows(const Volume& volume, const Progress& progress, Line line) {
  const int rows = volume.bottom() - volume.top();
  for (int part = 0; part < reports; ++part) {
    const int first = volume.top() + rows * part / reports;
    const int last = volume.top() + rows * (part + 1) / reports;
#pragma omp parallel for schedule(dynamic, 4)
    for (int row = first; row < last; ++row) line(row);
    if (part + 1 < reports) progress(share_done(part + 1));
  }
}

/// The surface near a sample that is above it: a step of Newton's method back along the ray.
DepthPixel surface(const Sample& sample, double level_value, double step, double shade) {
  const double back = sample.slope > 0.0 ? (sample.value - level_value) / sample.slope : 0.0;
  const double depth = sample.depth - std::clamp(back, 0.0, step);
  return {{level(0.95 * shade), level(0.62 * shade), level(0.25 * shade), 255},
          static_cast<float>(depth),
          surface_ids + static_cast<std::uint64_t>(sample.depth / step)};
}

}  // namespace

void render(const Scene& scene, const Camera& camera, const Progress& progress,
            Image<DepthPixel>& image) {
  draw_marks(scene, camera, image);
  progress(share_done(0));
  const double threshold = 0.5 * (scene.view->density_low + scene.view->density_high);
  const Volume volume(scene, camera, threshold);
  for_rows(volume, progress, [&](int row) {
    for (int column = volume.left(); column < volume.right(); ++column) {
      DepthPixel& pixel = image.at(column, row);
      volume.for_samples(column, row, [&](double depth, double density, const Vec3& place) {
        if (density < threshold) return static_cast<float>(depth - volume.step()) < pixel.depth;
        const Sample sample = volume.sample(depth, place);
        const double steepness = std::sqrt(dot(sample.gradient, sample.gradient));
        const double facing = steepness > 0.0 ? std::abs(sample.slope) / steepness : 1.0;
        pixel = nearer(surface(sample, threshold, volume.step(), 0.3 + 0.7 * facing), pixel);
        return false;
      });
    }
  });
}

void render(const Scene& scene, const Camera& camera, const Progress& progress,
            Image<OverPixel>& image) {
  Image<DepthPixel> marks(image.width, image.height);
  draw_marks(scene, camera, marks);
  progress(share_done(0));
  const View& view = *scene.view;
  const Volume volume(scene, camera, view.density_low);
  const double spacing = 2.0 * volume.step();
  for_rows(volume, progress, [&](int row) {
    for (int column = volume.left(); column < volume.right(); ++column) {
      OverPixel sum;
      const float wall = marks.at(column, row).depth;
      volume.for_samples(column, row, [&](double depth, double density, const Vec3&) {
        if (static_cast<float>(depth) >= wall || sum.alpha > 0.9995f) return false;
        const double t =
            std::min(1.0, (density - view.density_low) / (view.density_high - view.density_low));
        if (t <= 0.0) return true;
        const double alpha = 1.0 - std::exp(-view.opacity * t * volume.step() / spacing);
        const Vec3 colour = glow(t);
        sum =
            over(sum, {static_cast<float>(alpha * colour[0]), static_cast<float>(alpha * colour[1]),
                       static_cast<float>(alpha * colour[2]), static_cast<float>(alpha)});
        return true;
      });
      image.at(column, row) = sum;
    }
  });
  for (std::size_t n = 0; n < image.pixels.size(); ++n) {
    const DepthPixel& mark = marks.pixels[n];
    if (mark.rgba[3] == 0) continue;
    const auto part = [&](int c) { return static_cast<float>(mark.rgba[c]) / 255.0f; };
    image.pixels[n] = over(image.pixels[n], {part(0), part(1), part(2), 1.0f});
  }
}

std::vector<double> reported_fractions() {
  std::vector<double> fractions;
  for (int part = 0; part < reports; ++part) fractions.push_back(share_done(part));
  return fractions;
}

}  // namespace helsim
