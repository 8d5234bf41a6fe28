// The forms of MPI-4 with MPI_Count, where the MPI library has them.
//
// Whether a call is larger than the int forms can say is known from its signature, which is equal
// on all ranks: PAT leaves calls of more than INT_MAX bytes in all to the library, and a count of
// more than INT_MAX belongs to such a call. So each rank decides alike, whatever granularity its
// own type has. Of the v-forms a leaf does not know the sizes of the others: they go to the library
// always.

#include <mpi.h>

#if MPI_VERSION >= 4

#include <climits>

#include "libpat/operations/arguments.hpp"
#include "libpat/session/collective.hpp"
#include "pat/pat.h"

namespace pat {
namespace {

/// Whether the root's arguments matter here; in inter-communicators, whose calls go to the library
/// anyhow, all of them are passed on.
bool is_root(MPI_Comm comm, int root) {
  int rank = -1, inter = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return false;
  return inter != 0 || (PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root);
}

/// A count of a call: what does not matter on this process may be anything and is taken for 0; a
/// negative one is refused by the int form.
struct Count {
  MPI_Count value;
  Count(MPI_Count given, bool matters) : value(!matters ? 0 : given < 0 ? -1 : given) {}
  bool fits() const { return value <= INT_MAX; }
  operator int() const { return static_cast<int>(value); }
};

int to_library(const char* function, MPI_Comm comm, const std::function<int()>& library) {
  return with_error_handler(comm, [&] {
    Arguments(function).communicator(comm);
    return run_collective(comm, library_call(function, library));
  });
}

}  // namespace
}  // namespace pat

extern "C" {

int PAT_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const pat::Count send(sendcount, sendbuf != MPI_IN_PLACE);
  const pat::Count recv(recvcount, pat::is_root(comm, root));
  if (send.fits() && recv.fits())
    return PAT_Gather(sendbuf, send, sendtype, recvbuf, recv, recvtype, root, comm);
  return pat::to_library("PAT_Gather_c", comm, [&] {
    return PMPI_Gather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}

int PAT_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const pat::Count send(sendcount, pat::is_root(comm, root));
  const pat::Count recv(recvcount, recvbuf != MPI_IN_PLACE);
  if (send.fits() && recv.fits())
    return PAT_Scatter(sendbuf, send, sendtype, recvbuf, recv, recvtype, root, comm);
  return pat::to_library("PAT_Scatter_c", comm, [&] {
    return PMPI_Scatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}

int PAT_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                  int root, MPI_Comm comm) {
  return pat::to_library("PAT_Gatherv_c", comm, [&] {
    return PMPI_Gatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                          comm);
  });
}

int PAT_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                   MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm) {
  return pat::to_library("PAT_Scatterv_c", comm, [&] {
    return PMPI_Scatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                           root, comm);
  });
}

int PAT_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm) {
  const pat::Count small(count, true);
  if (small.fits()) return PAT_Reduce(sendbuf, recvbuf, small, datatype, op, root, comm);
  return pat::to_library("PAT_Reduce_c", comm, [&] {
    return PMPI_Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm);
  });
}

}  // extern "C"

#endif
