#include "libpat/report/socket_place.hpp"

#include <unistd.h>

#include <functional>
#include <string>

#include "core/live_socket.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/crowding.hpp"

namespace pat::detail {

std::vector<SocketPlace> socket_places(MPI_Comm comm) {
  int size = 0;
  check(PMPI_Comm_size(comm, &size));
  const std::uint64_t machine = this_kernel();
  const std::string folder = std::to_string(machine) + " " + live_folder();
  const std::uint64_t mine[2] = {machine == 0 ? 0 : std::hash<std::string>{}(folder),
                                 static_cast<std::uint64_t>(getpid())};
  std::vector<std::uint64_t> all(2 * static_cast<std::size_t>(size));
  check(PMPI_Allgather(mine, 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, comm));
  std::vector<SocketPlace> places;
  for (std::size_t at = 0; at < all.size(); at += 2)
    places.push_back({all[at], static_cast<std::int64_t>(all[at + 1])});
  return places;
}

}  // namespace pat::detail
