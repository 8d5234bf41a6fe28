#pragma once

#include <mpi.h>

#include <array>

/// What an MPI library does wrong by itself; calls that are left to it are not tried there.
namespace pat::test {

#ifdef MPICH_VERSION
/// MPICH 4.0.2 crashes in MPI_Reduce in place, with 1000 ints on two or three ranks for one.
inline constexpr bool library_reduces_in_place = false;
/// MPICH refuses a null pointer for the buffer of MPI_Exscan on rank 0, which receives nothing.
inline constexpr bool library_needs_no_unused_buffer = false;
/// MPICH 4.0.2 writes wrong bytes, and beyond the buffers, in MPI_Ineighbor_alltoallw on a graph.
inline constexpr bool library_masters_neighbor_alltoallw = false;
inline constexpr bool library_refuses_exscan_of_two_groups = true;
#else
inline constexpr bool library_reduces_in_place = true;
inline constexpr bool library_needs_no_unused_buffer = true;
inline constexpr bool library_masters_neighbor_alltoallw = true;
/// Open MPI 4.1.4 crashes in MPI_Exscan on an inter-communicator.
inline constexpr bool library_refuses_exscan_of_two_groups = false;
#endif

/// Whether the library tells several edges between two processes apart, as on grids that are
/// periodic where they are one or two long: MPICH 4.0 takes their blocks in reverse. Local.
inline bool library_tells_edges_apart() {
  const int ones[2] = {1, 1};
  MPI_Comm circles = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_SELF, 2, ones, ones, 0, &circles);
  const std::array<int, 4> given = {1, 2, 3, 4};
  std::array<int, 4> got{};
  MPI_Neighbor_alltoall(given.data(), 1, MPI_INT, got.data(), 1, MPI_INT, circles);
  MPI_Comm_free(&circles);
  return got == std::array<int, 4>{2, 1, 4, 3};
}

}  // namespace pat::test
