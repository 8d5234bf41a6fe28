#pragma once

#include <algorithm>
#include <cmath>

#include "apps/helsim-mini/cloud.hpp"
#include "apps/helsim-mini/scene.hpp"

namespace helsim {

/// The density at a place and how it changes.
struct Sample {
  double depth = 0.0;
  double value = 0.0;
  double slope = 0.0;  ///< along the line of sight, per unit of length
  Vec3 gradient{};
};

/// Samples of the density along lines of sight, at depths (k + 1/2) step that are the same for all
/// processes; a process sees those which lie in its block. Cells in which the density is nowhere
/// above `level` are passed over.
class Volume {
 public:
  Volume(const Scene& scene, const Camera& camera, double level);

  double step() const { return step_; }
  /// Columns and rows of the picture that the occupied cells may touch: first included, last not.
  int left() const { return left_; }
  int right() const { return right_; }
  int top() const { return top_; }
  int bottom() const { return bottom_; }

  /// Calls visit(depth, density, place) front to back until it returns false.
  template <class Visit>
  void for_samples(int column, int row, Visit visit) const {
    const Vec3 origin = camera_.point(column + 0.5, row + 0.5, 0.0);
    double enter = 0.0, leave = 1e300;
    for (int a = 0; a < 3; ++a) narrow(origin[a], a, enter, leave);
    if (enter > leave) return;
    // One more at each end: whether a sample is in the block is decided by its cell alone.
    const long first = std::max(0l, std::lround(enter / step_) - 1);
    const long last = std::lround(leave / step_) + 1;
    for (long k = first; k <= last; ++k) {
      const double depth = (static_cast<double>(k) + 0.5) * step_;
      const Vec3 place = camera_.point(column + 0.5, row + 0.5, depth);
      if (!shows(place)) continue;
      if (!visit(depth, density(place), place)) return;
    }
  }
  /// The density with its gradient, at a place that for_samples() has shown.
  Sample sample(double depth, const Vec3& place) const;

 private:
  double density(const Vec3& place) const {
    return Cloud(grid_, nodes_, place).gather(*scene_.density);
  }
  /// Whether the place is in a cell of the block where there is something to see.
  bool shows(const Vec3& place) const {
    for (int a = 0; a < 3; ++a)
      if (place[a] < 0.0 || place[a] >= grid_.length[a]) return false;
    const Int3 cell = grid_.cell_of(place);
    return block_.contains(cell) && occupied_[block_.index(cell[0], cell[1], cell[2])];
  }
  void find_occupied(double level);
  /// Whether a node of the cell is above the level.
  bool above(int i, int j, int k, double level) const;
  void narrow(double origin, int axis, double& enter, double& leave) const;

  const Scene& scene_;
  const Camera& camera_;
  const Grid& grid_;
  const Box& block_;
  const Box& nodes_;
  double step_;
  int left_, right_, top_, bottom_;
  std::vector<char> occupied_;  ///< per cell of the block
  Box active_;                  ///< the smallest box that holds the occupied cells
};

}  // namespace helsim
