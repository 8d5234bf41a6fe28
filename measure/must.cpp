#include "measure/must.hpp"

#include <pat/pat.h>

#include <iostream>
#include <string>

#include "core/errors.hpp"

namespace pat::measure {

void must(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  throw Error(ErrorKind::argument, std::string(what) + ": " + PAT_Error_string());
}

void must_or_abort(int code, const char* what, MPI_Comm comm) {
  if (code == MPI_SUCCESS) return;
  std::cerr << "pat: " << what << ": " << PAT_Error_string() << std::endl;
  MPI_Abort(comm, 1);
}

}  // namespace pat::measure
