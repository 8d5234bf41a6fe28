#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/helsim-mini/grid.hpp"

namespace helsim {

/// The eight nodes that a cloud of one cell's size touches, and its share at each: trilinear
/// weights, for deposition and gather alike (so that a particle exerts no force on itself).
struct Cloud {
  std::size_t node[8];
  double weight[8];

  /// `nodes` is the box of the array (block with halo); the particle must be in the block.
  Cloud(const Grid& grid, const Box& nodes, const Vec3& position) {
    Vec3 f;
    Int3 c;
    for (int a = 0; a < 3; ++a) c[a] = grid.cell(position[a], a, f[a]);
    const std::size_t base = nodes.index(c[0], c[1], c[2]);
    const auto row = static_cast<std::size_t>(nodes.size(0));
    const std::size_t plane = row * static_cast<std::size_t>(nodes.size(1));
    for (int n = 0; n < 8; ++n) {
      const int x = n & 1, y = n >> 1 & 1, z = n >> 2;
      node[n] = base + (x ? 1 : 0) + (y ? row : 0) + (z ? plane : 0);
      weight[n] = (x ? f[0] : 1.0 - f[0]) * (y ? f[1] : 1.0 - f[1]) * (z ? f[2] : 1.0 - f[2]);
    }
  }

  template <class Array>
  double gather(const Array& values) const {
    double sum = 0.0;
    for (int n = 0; n < 8; ++n) sum += weight[n] * values[node[n]];
    return sum;
  }
};

}  // namespace helsim
