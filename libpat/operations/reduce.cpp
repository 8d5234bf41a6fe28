// PAT_Reduce: MPI_Reduce's arguments, checked as MPI checks them, then run by the generic part.

#include <algorithm>

#include "libpat/mpi/check.hpp"
#include "libpat/mpi/datatype.hpp"
#include "libpat/operations/arguments.hpp"
#include "libpat/session/collective.hpp"
#include "pat/pat.h"

namespace pat {
namespace {

void check_buffers(const Arguments& arguments, const void* sendbuf, const void* recvbuf,
                   bool is_root) {
  if (sendbuf == MPI_IN_PLACE && !is_root)
    arguments.refuse(ErrorKind::argument, "sendbuf is MPI_IN_PLACE, which only the root may give");
  if (recvbuf == MPI_IN_PLACE && is_root)
    arguments.refuse(ErrorKind::argument, "recvbuf is MPI_IN_PLACE, give it as sendbuf instead");
}

/// The root's own contribution in place must outlive the first result that lands there: it is
/// copied aside, once.
ElementMemory copy_aside(const void* buffer, int count, MPI_Datatype type,
                         const DatatypeInfo& info) {
  const auto elements = static_cast<std::size_t>(count);
  ElementMemory copy = element_memory(elements, type, info);
  const Slice whole{Buffer::send, 0, elements};
  copy_place(Area::elements(buffer, type, info).place(whole), copy.area.place(whole));
  return copy;
}

struct Reduce {
  const void* sendbuf;
  void* recvbuf;
  int count;
  MPI_Datatype type;
  MPI_Op op;
  int root;
  MPI_Comm comm;

  int library() const { return PMPI_Reduce(sendbuf, recvbuf, count, type, op, root, comm); }
  CallArguments plain() const {
    return {.operation = Operation::reduce,
            .root = root,
            .counts = {count, 0},
            .types = {type, MPI_Datatype{}},
            .in_place = {sendbuf == MPI_IN_PLACE, recvbuf == MPI_IN_PLACE},
            .op = op,
            .comm = comm};
  }
};

int run(const Reduce& call) {
  const auto& [sendbuf, recvbuf, count, type, op, root, comm] = call;
  const Arguments arguments("PAT_Reduce");
  arguments.communicator(comm);
  Runtime::get("PAT_Reduce");
  const auto library = [&] { return call.library(); };
  if (is_inter_communicator(comm)) return library();
  const Caller me = caller_in(comm);
  const bool is_root = me.rank == root;
  arguments.root(root, me.size);
  arguments.count(count, "count");
  arguments.datatype(type, "datatype");
  arguments.operation(op, type);
  check_buffers(arguments, sendbuf, recvbuf, is_root);
  int commutes = 0;
  check(PMPI_Op_commutative(op, &commutes));
  const DatatypeInfo info = inspect(type);
  const std::size_t bytes = static_cast<std::size_t>(count) * info.size;
  ElementMemory own;
  const auto bind = [&] {
    UserBuffers buffers;
    buffers.op = op;
    buffers.type = type;
    buffers.datatype = info;
    if (is_root) buffers.recv = Area::elements(recvbuf, type, info);
    if (sendbuf == MPI_IN_PLACE) {
      own = copy_aside(recvbuf, count, type, info);
      buffers.send = own.area;
    } else {
      buffers.send = Area::elements(sendbuf, type, info);
    }
    return buffers;
  };
  return run_collective(comm, {.function = "PAT_Reduce",
                               .signature = {.operation = Operation::reduce,
                                             .root = root,
                                             .block_bytes = bytes,
                                             .unit_bytes = std::max<std::size_t>(1, info.size),
                                             .commutative = commutes != 0},
                               .total_bytes = bytes,
                               .counts = {},
                               .bind = bind,
                               .library = library,
                               .arguments = call.plain(),
                               .types = {type, MPI_Datatype{}}});
}

}  // namespace
}  // namespace pat

extern "C" int PAT_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                          MPI_Op op, int root, MPI_Comm comm) {
  const pat::Reduce call{sendbuf, recvbuf, count, datatype, op, root, comm};
  if (pat::Settled* settled = pat::settled(call.plain()))
    return pat::run_settled(*settled, [&] { return call.library(); });
  return pat::with_error_handler(comm, [&] { return pat::run(call); });
}
