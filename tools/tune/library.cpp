#include "tools/tune/library.hpp"

#include <cstdlib>

#include "core/errors.hpp"

namespace pat::tune {

Library::Library() {
  int level = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
}

Library::~Library() {
  MPI_T_finalize();
}

void allow_choice() {
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
  // What is measured against is the library without rules.
  unsetenv("OMPI_MCA_coll_tuned_dynamic_rules_filename");
  unsetenv("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE");
  unsetenv("MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE");
}

std::unique_ptr<Library> find_library(MPI_Comm comm) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text);
  if (version.starts_with("Open MPI")) return open_mpi(comm);
  if (version.starts_with("MPICH")) return mpich(comm);
  throw Error(ErrorKind::argument, "rules are written for Open MPI and MPICH alone, and this is " +
                                       version.substr(0, version.find_first_of(",\n")) +
                                       "; use a PAT that was built with one of them");
}

}  // namespace pat::tune
