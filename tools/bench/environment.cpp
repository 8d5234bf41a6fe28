#include "tools/bench/environment.hpp"

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "libpat/report/version.hpp"

namespace pat::bench {
namespace {

/// Names of all ranks' nodes, each once; on rank 0.
std::vector<std::string> node_names(MPI_Comm comm) {
  int rank = 0, ranks = 1, length = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  char own[MPI_MAX_PROCESSOR_NAME] = {};
  MPI_Get_processor_name(own, &length);
  std::vector<char> all(rank == 0 ? static_cast<std::size_t>(ranks) * sizeof own : 0);
  MPI_Gather(own, sizeof own, MPI_CHAR, all.data(), sizeof own, MPI_CHAR, 0, comm);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < all.size(); at += sizeof own) {
    const std::string name = all.data() + at;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

nlohmann::json capture_environment(MPI_Comm comm) {
  const auto names = node_names(comm);
  int rank = 0, ranks = 1, length = 0, level = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Query_thread(&level);
  if (rank != 0) return nullptr;
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  MPI_Get_library_version(version, &length);
  const std::string mpi = std::string(version).substr(0, std::string(version).find(','));
  const char* levels[] = {"single", "funneled", "serialized", "multiple"};
  return {{"pat", detail::version()},
          {"revision", detail::revision()},
          {"compiler", "g++ " __VERSION__},
          {"mpi", mpi},
          {"thread_level", levels[level == MPI_THREAD_SINGLE       ? 0
                                  : level == MPI_THREAD_FUNNELED   ? 1
                                  : level == MPI_THREAD_SERIALIZED ? 2
                                                                   : 3]},
          {"processes", ranks},
          {"nodes", names.size()},
          {"node_names", names.front() + (names.size() > 1 ? " .. " + names.back() : "")},
          {"processor", this_machine().processor},
          {"kernel", this_machine().kernel},
          {"time", utc_text(std::time(nullptr))}};
}

}  // namespace pat::bench
