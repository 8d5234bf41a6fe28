#include "libpat/mpi/settings.hpp"

#include <limits>

#include "core/errors.hpp"
#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

bool combined(MPI_Comm comm, bool mine, MPI_Op op) {
  int here = mine ? 1 : 0, everywhere = 0;
  check(PMPI_Allreduce(&here, &everywhere, 1, MPI_INT, op, comm));
  return everywhere != 0;
}

constexpr int nobody = std::numeric_limits<int>::max();

/// The lowest rank on which `mine` holds, or nobody.
int lowest_rank(MPI_Comm comm, bool mine) {
  int rank = 0, lowest = nobody;
  check(PMPI_Comm_rank(comm, &rank));
  if (!mine) rank = nobody;
  check(PMPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, comm));
  return lowest;
}

}  // namespace

bool on_any(MPI_Comm comm, bool mine) {
  return combined(comm, mine, MPI_MAX);
}

bool on_all(MPI_Comm comm, bool mine) {
  return combined(comm, mine, MPI_MIN);
}

void use_setting(const std::string& name, const std::string& value,
                 const std::function<void()>& use) {
  try {
    use();
  } catch (const Error& error) {
    throw Error(ErrorKind::config, name + " is '" + value + "': " + error.what());
  }
}

void agree_on_settings(MPI_Comm comm, const std::function<void()>& check_settings) {
  std::string problem;
  try {
    check_settings();
  } catch (const std::exception& error) {  // of any kind: the others wait below
    problem = error.what();
    if (problem.empty()) problem = "the settings cannot be read";
  }
  const int speaker = lowest_rank(comm, !problem.empty());
  if (speaker == nobody) return;
  if (speaker != 0) problem = "process " + std::to_string(speaker) + ": " + problem;
  broadcast_text(comm, problem, speaker);
  throw Error(ErrorKind::config, problem);
}

}  // namespace pat::detail
