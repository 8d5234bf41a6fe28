#include "libpat/mpi/local.hpp"

#include <mutex>

#include "libpat/mpi/check.hpp"
#include "libpat/mpi/private_communicator.hpp"

namespace pat::detail {
namespace {

MPI_Comm own = MPI_COMM_NULL;
std::mutex collective_mutex;  // two threads may not be in collectives on one communicator

/// Whether `code` says no in that class; throws for any other error.
bool refuses(int code, int error_class) {
  if (code == MPI_SUCCESS) return false;
  int found = MPI_SUCCESS;
  check(PMPI_Error_class(code, &found));
  if (found != error_class) check(code);
  return true;
}

}  // namespace

void open_local() {
  own = private_communicator(MPI_COMM_SELF);
}

void close_local() {
  check(PMPI_Comm_free(&own));
}

MPI_Comm local_communicator() {
  return own != MPI_COMM_NULL ? own : MPI_COMM_SELF;
}

bool is_committed(MPI_Datatype type) {
  char nothing = 0, packed = 0;
  int position = 0;
  return !refuses(PMPI_Pack(&nothing, 0, type, &packed, 1, &position, local_communicator()),
                  MPI_ERR_TYPE);
}

bool is_defined_on(MPI_Op op, MPI_Datatype type) {
  char nothing = 0, result = 0;
  const std::lock_guard lock(collective_mutex);
  return !refuses(PMPI_Reduce(&nothing, &result, 0, type, op, 0, local_communicator()), MPI_ERR_OP);
}

}  // namespace pat::detail
