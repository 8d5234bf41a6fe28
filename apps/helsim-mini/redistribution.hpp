#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <vector>

#include "apps/helsim-mini/grid.hpp"

namespace helsim {

/// Moves a distributed array from one way of cutting it up to another; each process holds one box
/// before and one box after, and the boxes of each kind cover the array without overlap.
class Redistribution {
 public:
  /// `from` and `to` hold one box per process of `comm`, the same on all. Local.
  Redistribution(MPI_Comm comm, std::vector<Box> from, std::vector<Box> to);

  /// `source` holds this process's box of `from`, `target` becomes that of `to`. Collective.
  template <class T>
  void forward(const std::vector<T>& source, std::vector<T>& target) const {
    move(from_, to_, source, target);
  }
  /// The way back. Collective.
  template <class T>
  void backward(const std::vector<T>& source, std::vector<T>& target) const {
    move(to_, from_, source, target);
  }

 private:
  template <class T>
  void move(const std::vector<Box>& from, const std::vector<Box>& to, const std::vector<T>& source,
            std::vector<T>& target) const;

  MPI_Comm comm_;
  int rank_ = 0;
  std::vector<Box> from_;
  std::vector<Box> to_;
};

/// The box cut into slabs across one axis, one per process; empty ones where there are more
/// processes than planes.
std::vector<Box> slabs(const Box& whole, int axis, int ranks);

}  // namespace helsim
