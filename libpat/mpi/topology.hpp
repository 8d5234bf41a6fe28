#pragma once

#include <mpi.h>

#include <memory>

#include "collectives/problem.hpp"

namespace pat::detail {

/// Whom this process sends to and receives from on the topology of `comm`; null where it has none.
/// Local.
std::shared_ptr<const Neighbours> neighbours_in(MPI_Comm comm);

/// Whether the topology is Cartesian and some dimension of it leads back to the same process on
/// both sides: periodic, with one or two processes. The same on all processes. Open MPI's
/// non-blocking calls (seen with 4.1; see open-mpi/ompi 14416 and 14430) take the two blocks for
/// each other there.
bool has_short_circle(MPI_Comm comm);

/// Gives the processes of `bare`, which are those of `comm` in the same order, the topology of
/// `comm`: returns a communicator that has it and frees `bare`, or `bare` where `comm` has none.
/// Collective.
MPI_Comm with_topology_of(MPI_Comm comm, MPI_Comm bare);

}  // namespace pat::detail
