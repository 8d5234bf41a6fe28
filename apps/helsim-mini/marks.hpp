#pragma once

#include "apps/helsim-mini/pixel.hpp"
#include "apps/helsim-mini/scene.hpp"

namespace helsim {

/// Draws those parts of the balls that lie in this process's block; nearest first, ties by
/// identity.
void draw_marks(const Scene& scene, const Camera& camera, Image<DepthPixel>& image);

}  // namespace helsim
