#include "libpat/operations/arguments.hpp"

#include "libpat/session/attributes.hpp"
#include "libpat/session/twin.hpp"

namespace pat {

Caller caller_in(MPI_Comm comm) {
  if (const Communicator* twin = attached(comm)) return {twin->rank(), twin->size()};
  Caller caller;
  check(PMPI_Comm_rank(comm, &caller.rank));
  check(PMPI_Comm_size(comm, &caller.size));
  return caller;
}

bool is_inter_communicator(MPI_Comm comm) {
  if (attached(comm) != nullptr) return false;  // they have no twins
  int inter = 0;
  check(PMPI_Comm_test_inter(comm, &inter));
  return inter != 0;
}

}  // namespace pat
