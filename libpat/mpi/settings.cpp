#include "libpat/mpi/settings.hpp"

#include "core/errors.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

bool combined(MPI_Comm comm, bool mine, MPI_Op op) {
  int here = mine ? 1 : 0, everywhere = 0;
  check(PMPI_Allreduce(&here, &everywhere, 1, MPI_INT, op, comm));
  return everywhere != 0;
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
  const bool mine = !problem.empty(), any = on_any(comm, mine);
  if (mine) throw Error(ErrorKind::config, problem);
  if (any)
    throw Error(ErrorKind::config,
                "another process has a setting that PAT cannot use, see its message");
}

}  // namespace pat::detail
