#include "libpat/mpi/crowding.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "libpat/mpi/check.hpp"

namespace pat::detail {

std::uint64_t this_kernel() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id.empty() ? 0 : std::hash<std::string>{}(id);
}

double processes_per_core(MPI_Comm comm) {
  int size = 0;
  check(PMPI_Comm_size(comm, &size));
  const std::uint64_t mine = this_kernel();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  check(PMPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm));
  const auto here = static_cast<double>(std::count(all.begin(), all.end(), mine));
  const long cores = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  double crowd = mine == 0 ? 1.0 : std::max(1.0, here / static_cast<double>(cores)), most = 1.0;
  check(PMPI_Allreduce(&crowd, &most, 1, MPI_DOUBLE, MPI_MAX, comm));
  return most;
}

}  // namespace pat::detail
