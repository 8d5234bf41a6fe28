#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "apps/helsim-mini/grid.hpp"

namespace helsim {

/// The periodic grid cut into one block of cells per process. A block also holds the nodes on its
/// upper faces (its halo), which belong to the next block: with clouds in cells that is all that a
/// particle inside the block can touch.
class Domain {
 public:
  /// Cuts `grid` into as many blocks as `comm` has processes, with the smallest faces between them.
  /// Throws pat::Error(argument) if there are more processes than that many cells allow.
  /// Collective; the communicator must outlive the domain.
  Domain(MPI_Comm comm, const Grid& grid);

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  const Grid& grid() const { return grid_; }
  const Int3& blocks() const { return blocks_; }

  /// Cells of this process's block, or of another's.
  const Box& box() const { return box_; }
  Box box_of(int rank) const;
  Int3 coordinates_of(int rank) const;
  /// The process whose block is one step (-1 or 1) further along the axis, periodically.
  int neighbour(int axis, int step) const;
  /// The block with its halo: one more node along each axis.
  const Box& node_box() const { return node_box_; }

  /// Copies the halo from the blocks it belongs to. Collective.
  void fill_halo(std::vector<double>& nodes) const;
  void fill_halo(std::vector<std::int64_t>& nodes) const;
  /// Adds the halo to the nodes it stands for, and clears it. Collective.
  void add_halo(std::vector<std::int64_t>& nodes) const;

 private:
  int rank_at(const Int3& coordinates) const;

  MPI_Comm comm_;
  Grid grid_;
  int rank_ = 0;
  int ranks_ = 1;
  Int3 blocks_{};
  Box box_;
  Box node_box_;
};

/// Blocks along each axis for this many processes: the cut with the least area between blocks.
/// Throws pat::Error(argument) if no cut gives every process a cell.
Int3 cut(const Grid& grid, int ranks);

}  // namespace helsim
