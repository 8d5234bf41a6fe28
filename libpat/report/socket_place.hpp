#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace pat::detail {

/// Where a process's socket (core/live_socket) is. Whoever has the same `machine` finds it: the
/// machine, and the folder of its sockets. 0: its kernel does not say which machine it is.
struct SocketPlace {
  std::uint64_t machine = 0;
  std::int64_t pid = 0;
};

/// Of each rank. Collective over `comm`.
std::vector<SocketPlace> socket_places(MPI_Comm comm);

}  // namespace pat::detail
