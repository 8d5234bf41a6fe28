#include "core/launcher.hpp"

#include <cstdlib>
#include <sstream>

namespace pat {
namespace {

/// The rank as the launcher says it; null without one.
const char* launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return rank;
  return nullptr;
}

}  // namespace

bool is_launched() {
  return launched_rank() != nullptr;
}

bool is_first_launched() {
  if (!is_launched()) return true;
  const int rank = std::atoi(launched_rank());
  // Of several programs in one job (mpirun A : B) Open MPI tells how many processes each has.
  const char* counts = std::getenv("OMPI_APP_CTX_NUM_PROCS");
  std::istringstream words(counts != nullptr ? counts : "");
  int first = 0;
  for (int processes = 0; first < rank && words >> processes;) first += processes;
  return first == rank;
}

}  // namespace pat
