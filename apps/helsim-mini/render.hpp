#pragma once

#include <functional>
#include <vector>

#include "apps/helsim-mini/pixel.hpp"
#include "apps/helsim-mini/scene.hpp"

namespace helsim {

/// Told how much of the picture is done, 0 < fraction < 1, a few times for each picture.
using Progress = std::function<void(double fraction)>;

/// Draws a process's share of the picture, full size. Of all the places in space that a picture
/// shows (points of balls, samples along lines of sight), each is drawn by exactly one process: the
/// one whose block holds it. Together they show the same places for every process count. Local: no
/// communication. Pixels that nothing touches are left as they are.
/// - opaque: balls, and the surface where the density passes midway between its two view limits;
/// - translucent: glowing density between the limits, with the balls opaque in it.
void render(const Scene& scene, const Camera& camera, const Progress& progress,
            Image<DepthPixel>& image);
void render(const Scene& scene, const Camera& camera, const Progress& progress,
            Image<OverPixel>& image);

/// The fractions that render() reports, in order.
std::vector<double> reported_fractions();

}  // namespace helsim
