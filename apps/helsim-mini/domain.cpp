#include "apps/helsim-mini/domain.hpp"

#include <limits>
#include <string>

#include "apps/helsim-mini/mpi_error.hpp"

namespace helsim {
namespace {

/// First cell of part `part` when `cells` are dealt out to `parts`.
int part_begin(int cells, int parts, int part) {
  return static_cast<int>(static_cast<std::int64_t>(cells) * part / parts);
}

/// Calls visit(index) for every node of the plane `axis` = `level` of a box.
template <class Visit>
void for_plane(const Box& box, int axis, int level, Visit visit) {
  Box plane = box;
  plane.lo[axis] = level;
  plane.hi[axis] = level + 1;
  for (int k = plane.lo[2]; k < plane.hi[2]; ++k)
    for (int j = plane.lo[1]; j < plane.hi[1]; ++j)
      for (int i = plane.lo[0]; i < plane.hi[0]; ++i) visit(box.index(i, j, k));
}

template <class T>
MPI_Datatype mpi_type();
template <>
MPI_Datatype mpi_type<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype mpi_type<std::int64_t>() {
  return MPI_INT64_T;
}

template <class T>
std::vector<T> pack(const Box& box, int axis, int level, const std::vector<T>& nodes) {
  std::vector<T> plane;
  for_plane(box, axis, level, [&](std::size_t n) { plane.push_back(nodes[n]); });
  return plane;
}

template <class T>
std::vector<T> shift(const std::vector<T>& plane, int to, int from, MPI_Comm comm) {
  std::vector<T> received(plane.size());
  const int count = static_cast<int>(plane.size());
  check_mpi(MPI_Sendrecv(plane.data(), count, mpi_type<T>(), to, 0, received.data(), count,
                         mpi_type<T>(), from, 0, comm, MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
  return received;
}

template <class T>
void fill(const Domain& domain, std::vector<T>& nodes) {
  const Box& box = domain.node_box();
  for (int axis = 0; axis < 3; ++axis) {
    const auto plane = shift(pack(box, axis, box.lo[axis], nodes), domain.neighbour(axis, -1),
                             domain.neighbour(axis, 1), domain.comm());
    std::size_t next = 0;
    for_plane(box, axis, box.hi[axis] - 1, [&](std::size_t n) { nodes[n] = plane[next++]; });
  }
}

}  // namespace

Int3 cut(const Grid& grid, int ranks) {
  Int3 best{};
  double least = std::numeric_limits<double>::infinity();
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    for (int y = 1; y <= ranks / x; ++y) {
      if (ranks / x % y != 0) continue;
      const Int3 blocks{x, y, ranks / x / y};
      double area = 0.0;
      bool fits = true;
      for (int a = 0; a < 3; ++a) {
        fits = fits && blocks[a] <= grid.cells[a];
        area += static_cast<double>(grid.box().volume()) / grid.cells[a] * (blocks[a] - 1);
      }
      if (fits && area < least) {
        least = area;
        best = blocks;
      }
    }
  }
  if (best[0] == 0)
    throw pat::Error(pat::ErrorKind::argument,
                     "the grid cannot be cut into " + std::to_string(ranks) +
                         " blocks of at least one cell, use fewer processes or more cells");
  return best;
}

Domain::Domain(MPI_Comm comm, const Grid& grid) : comm_(comm), grid_(grid) {
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &ranks_), "MPI_Comm_size");
  blocks_ = cut(grid, ranks_);
  box_ = box_of(rank_);
  node_box_ = box_;
  for (int a = 0; a < 3; ++a) ++node_box_.hi[a];
}

Int3 Domain::coordinates_of(int rank) const {
  return {rank % blocks_[0], rank / blocks_[0] % blocks_[1], rank / blocks_[0] / blocks_[1]};
}

int Domain::rank_at(const Int3& at) const {
  return (at[2] * blocks_[1] + at[1]) * blocks_[0] + at[0];
}

Box Domain::box_of(int rank) const {
  const Int3 at = coordinates_of(rank);
  Box box;
  for (int a = 0; a < 3; ++a) {
    box.lo[a] = part_begin(grid_.cells[a], blocks_[a], at[a]);
    box.hi[a] = part_begin(grid_.cells[a], blocks_[a], at[a] + 1);
  }
  return box;
}

int Domain::neighbour(int axis, int step) const {
  Int3 at = coordinates_of(rank_);
  at[axis] = (at[axis] + step + blocks_[axis]) % blocks_[axis];
  return rank_at(at);
}

void Domain::fill_halo(std::vector<double>& nodes) const {
  fill(*this, nodes);
}
void Domain::fill_halo(std::vector<std::int64_t>& nodes) const {
  fill(*this, nodes);
}

void Domain::add_halo(std::vector<std::int64_t>& nodes) const {
  for (int axis = 0; axis < 3; ++axis) {
    const int last = node_box_.hi[axis] - 1;
    const auto plane =
        shift(pack(node_box_, axis, last, nodes), neighbour(axis, 1), neighbour(axis, -1), comm_);
    for_plane(node_box_, axis, last, [&](std::size_t n) { nodes[n] = 0; });
    std::size_t next = 0;
    for_plane(node_box_, axis, node_box_.lo[axis],
              [&](std::size_t n) { nodes[n] += plane[next++]; });
  }
}

}  // namespace helsim
