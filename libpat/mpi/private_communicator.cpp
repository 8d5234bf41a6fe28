#include "libpat/mpi/private_communicator.hpp"

#include "libpat/mpi/check.hpp"
#include "libpat/mpi/topology.hpp"

namespace pat::detail {

MPI_Comm private_communicator(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm result = MPI_COMM_NULL;
  check(PMPI_Comm_group(comm, &group));
  const int code = PMPI_Comm_create(comm, group, &result);
  PMPI_Group_free(&group);
  check(code);
  check(PMPI_Comm_set_errhandler(result, MPI_ERRORS_RETURN));
  result = with_topology_of(comm, result);
  check(PMPI_Comm_set_errhandler(result, MPI_ERRORS_RETURN));
  return result;
}

}  // namespace pat::detail
