#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace helsim {

using Vec3 = std::array<double, 3>;
using Int3 = std::array<int, 3>;

/// A box of cells (or nodes, or modes), lower bounds included, upper bounds not. x runs fastest.
struct Box {
  Int3 lo{};
  Int3 hi{};

  int size(int axis) const { return std::max(0, hi[axis] - lo[axis]); }
  std::size_t volume() const {
    return static_cast<std::size_t>(size(0)) * static_cast<std::size_t>(size(1)) *
           static_cast<std::size_t>(size(2));
  }
  bool contains(const Int3& point) const {
    for (int a = 0; a < 3; ++a)
      if (point[a] < lo[a] || point[a] >= hi[a]) return false;
    return true;
  }
  /// Place of the (global) point in an array that holds this box.
  std::size_t index(int i, int j, int k) const {
    const auto nx = static_cast<std::size_t>(size(0)), ny = static_cast<std::size_t>(size(1));
    return (static_cast<std::size_t>(k - lo[2]) * ny + static_cast<std::size_t>(j - lo[1])) * nx +
           static_cast<std::size_t>(i - lo[0]);
  }
};

inline Box intersect(const Box& a, const Box& b) {
  Box both;
  for (int axis = 0; axis < 3; ++axis) {
    both.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
    both.hi[axis] = std::min(a.hi[axis], b.hi[axis]);
  }
  return both;
}

/// The periodic box and its cells. Lengths are in units of c over the plasma frequency or whatever
/// else the case is normalised to; the plasma frequency of a density of 1 is 1.
struct Grid {
  Int3 cells{};
  Vec3 length{};

  double spacing(int axis) const { return length[axis] / cells[axis]; }
  double cell_volume() const { return spacing(0) * spacing(1) * spacing(2); }
  double volume() const { return length[0] * length[1] * length[2]; }
  Box box() const { return {{0, 0, 0}, cells}; }

  /// Cell of a coordinate in [0, length], and the coordinate's place in it (0 to 1). Depends on
  /// nothing but the coordinate, so that every process count gives the same bits.
  int cell(double coordinate, int axis, double& fraction) const {
    const double scaled = coordinate * (cells[axis] / length[axis]);
    const int c = std::clamp(static_cast<int>(scaled), 0, cells[axis] - 1);
    fraction = scaled - c;
    return c;
  }
  Int3 cell_of(const Vec3& position) const {
    double ignored = 0.0;
    return {cell(position[0], 0, ignored), cell(position[1], 1, ignored),
            cell(position[2], 2, ignored)};
  }
};

}  // namespace helsim
