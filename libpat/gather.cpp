// PAT_Gather: MPI_Gather's arguments, checked as MPI checks them, then run by the generic part.

#include <string>

#include "core/errors.hpp"
#include "libpat/collective.hpp"
#include "libpat/datatype.hpp"
#include "libpat/mpi_check.hpp"
#include "pat/pat.h"

namespace pat {
namespace {

struct GatherArguments {
  const void* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int recvcount;
  MPI_Datatype recvtype;
  int root;
  MPI_Comm comm;
};

void refuse(ErrorKind kind, const std::string& what) {
  throw Error(kind, "PAT_Gather: " + what);
}

void check_side(int count, MPI_Datatype type, const char* side) {
  if (count < 0)
    refuse(ErrorKind::count,
           std::string(side) + "count is " + std::to_string(count) + ", give at least 0");
  if (type == MPI_DATATYPE_NULL)
    refuse(ErrorKind::argument,
           std::string(side) + "type is MPI_DATATYPE_NULL, give a committed datatype");
}

void check_arguments(const GatherArguments& a, int rank, int size) {
  if (a.root < 0 || a.root >= size)
    refuse(ErrorKind::root, "root is " + std::to_string(a.root) + ", give a rank from 0 to " +
                                std::to_string(size - 1));
  if (rank == a.root) check_side(a.recvcount, a.recvtype, "recv");
  if (a.sendbuf == MPI_IN_PLACE) {
    if (rank != a.root)
      refuse(ErrorKind::argument, "sendbuf is MPI_IN_PLACE, which only the root may give");
    return;
  }
  check_side(a.sendcount, a.sendtype, "send");
  if (rank == a.root && a.recvbuf == MPI_IN_PLACE)
    refuse(ErrorKind::argument, "recvbuf is MPI_IN_PLACE, give it as sendbuf instead");
}

UserBuffers bind(const GatherArguments& a, bool is_root) {
  UserBuffers buffers;
  buffers.in_place = a.sendbuf == MPI_IN_PLACE;
  if (!buffers.in_place) buffers.send = Area::packed(a.sendbuf, a.sendtype, inspect(a.sendtype));
  if (is_root) buffers.recv = Area::packed(a.recvbuf, a.recvtype, inspect(a.recvtype));
  return buffers;
}

int gather(const GatherArguments& a) {
  if (a.comm == MPI_COMM_NULL)
    refuse(ErrorKind::communicator, "comm is MPI_COMM_NULL, give a communicator");
  Runtime::get("PAT_Gather");
  const auto library = [&] {
    return PMPI_Gather(a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcount, a.recvtype,
                       a.root, a.comm);
  };
  int rank = 0, size = 0, is_inter = 0;
  check(PMPI_Comm_test_inter(a.comm, &is_inter));
  if (is_inter) return library();
  check(PMPI_Comm_rank(a.comm, &rank));
  check(PMPI_Comm_size(a.comm, &size));
  check_arguments(a, rank, size);
  const bool is_root = rank == a.root;
  const std::size_t block_bytes =
      is_root ? static_cast<std::size_t>(a.recvcount) * inspect(a.recvtype).size
              : static_cast<std::size_t>(a.sendcount) * inspect(a.sendtype).size;
  return run_collective(a.comm, {.function = "PAT_Gather",
                                 .signature = {Operation::gather, a.root, block_bytes},
                                 .total_bytes = block_bytes * static_cast<std::size_t>(size),
                                 .bind = [&] { return bind(a, is_root); },
                                 .library = library});
}

}  // namespace
}  // namespace pat

extern "C" int PAT_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return pat::with_error_handler(comm, [&] {
    return pat::gather({sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm});
  });
}
