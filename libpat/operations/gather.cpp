// PAT_Gather and PAT_Gatherv: MPI's arguments, checked as MPI checks them, then run by the generic
// part.

#include <string>
#include <vector>

#include "libpat/mpi/check.hpp"
#include "libpat/mpi/datatype.hpp"
#include "libpat/operations/arguments.hpp"
#include "libpat/session/collective.hpp"
#include "pat/pat.h"

namespace pat {
namespace {

struct SendSide {
  const void* buffer;
  int count;
  MPI_Datatype type;
};

void check_send(const Arguments& arguments, const SendSide& send, const void* recvbuf, bool root) {
  if (send.buffer == MPI_IN_PLACE) {
    if (!root)
      arguments.refuse(ErrorKind::argument,
                       "sendbuf is MPI_IN_PLACE, which only the root may give");
    return;
  }
  arguments.count(send.count, "sendcount");
  arguments.datatype(send.type, "sendtype");
  if (root && recvbuf == MPI_IN_PLACE)
    arguments.refuse(ErrorKind::argument, "recvbuf is MPI_IN_PLACE, give it as sendbuf instead");
}

/// The arguments of a gather with equal counts.
struct Gather {
  SendSide send;
  void* recvbuf;
  int recvcount;
  MPI_Datatype recvtype;
  int root;
  MPI_Comm comm;

  int library() const {
    return PMPI_Gather(send.buffer, send.count, send.type, recvbuf, recvcount, recvtype, root,
                       comm);
  }
  CallArguments plain() const {
    return {.operation = Operation::gather,
            .root = root,
            .counts = {send.count, recvcount},
            .types = {send.type, recvtype},
            .in_place = {send.buffer == MPI_IN_PLACE, recvbuf == MPI_IN_PLACE},
            .comm = comm};
  }
};

UserBuffers bind_send(const SendSide& send) {
  UserBuffers buffers;
  buffers.in_place = send.buffer == MPI_IN_PLACE;
  if (!buffers.in_place)
    buffers.send = Area::packed(send.buffer, send.count, send.type, inspect(send.type));
  return buffers;
}

/// Checks the arguments; what it returns refers to them.
CollectiveCall checked(const char* function, const Gather& g) {
  const Arguments arguments(function);
  arguments.communicator(g.comm);
  Runtime::get(function);
  const auto library = [&g] { return g.library(); };
  if (is_inter_communicator(g.comm)) return library_call(function, library);
  const Caller me = caller_in(g.comm);
  arguments.root(g.root, me.size);
  const bool is_root = me.rank == g.root;
  if (is_root) {
    arguments.count(g.recvcount, "recvcount");
    arguments.datatype(g.recvtype, "recvtype");
  }
  check_send(arguments, g.send, g.recvbuf, is_root);
  const std::size_t block_bytes =
      is_root ? static_cast<std::size_t>(g.recvcount) * packed_size(g.recvtype)
              : static_cast<std::size_t>(g.send.count) * packed_size(g.send.type);
  const auto bind = [&g, is_root] {
    UserBuffers buffers = bind_send(g.send);
    if (is_root)
      buffers.recv = Area::packed(g.recvbuf, g.recvcount, g.recvtype, inspect(g.recvtype));
    return buffers;
  };
  return {.function = function,
          .signature = {Operation::gather, g.root, block_bytes},
          .total_bytes = block_bytes * static_cast<std::size_t>(me.size),
          .counts = {},
          .bind = bind,
          .library = library,
          .arguments = g.plain(),
          .types = {g.send.buffer == MPI_IN_PLACE ? MPI_Datatype{} : g.send.type,
                    is_root ? g.recvtype : MPI_Datatype{}}};
}

Request& gather_request(const Gather& arguments) {
  constexpr const char* function = "PAT_Gather_init";
  checked(function, arguments);
  RequestSetup setup;
  const auto g = std::make_shared<Gather>(arguments);
  const RootedSides sides = rooted_sides(g->comm, g->root);
  const bool sends = sides.leaf && g->send.buffer != MPI_IN_PLACE;
  if (sends) g->send.type = setup.types.keep(g->send.type);
  if (sides.root) g->recvtype = setup.types.keep(g->recvtype);
  const CollectiveCall call = checked(function, *g);
  if (call.bind) setup.buffers = call.bind();
  if (sends) {
    setup.send_elements = static_cast<std::size_t>(g->send.count);
    setup.element_bytes = packed_size(g->send.type);
  }
  setup.start_library = [g](MPI_Comm comm, MPI_Request* request) {
    return PMPI_Igather(g->send.buffer, g->send.count, g->send.type, g->recvbuf, g->recvcount,
                        g->recvtype, g->root, comm, request);
  };
  return make_request(g->comm, call, std::move(setup));
}

int gatherv(const SendSide& send, void* recvbuf, const int* recvcounts, const int* displs,
            MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Arguments arguments("PAT_Gatherv");
  arguments.communicator(comm);
  Runtime::get("PAT_Gatherv");
  const auto library = [&] {
    return PMPI_Gatherv(send.buffer, send.count, send.type, recvbuf, recvcounts, displs, recvtype,
                        root, comm);
  };
  if (is_inter_communicator(comm)) return library();
  const Caller me = caller_in(comm);
  arguments.root(root, me.size);
  const bool is_root = me.rank == root;
  if (is_root) {
    arguments.counts(recvcounts, displs, me.size, "recvcounts");
    arguments.datatype(recvtype, "recvtype");
  }
  check_send(arguments, send, recvbuf, is_root);
  std::vector<std::size_t> bytes =
      is_root ? bytes_per_rank(me, recvcounts, packed_size(recvtype), 0)
              : bytes_per_rank(me, nullptr, 0,
                               static_cast<std::size_t>(send.count) * packed_size(send.type));
  const auto bind = [&] {
    UserBuffers buffers = bind_send(send);
    if (is_root)
      buffers.recv =
          Area::packed_blocks(recvbuf, recvcounts, displs, me.size, recvtype, inspect(recvtype));
    return buffers;
  };
  return run_collective(
      comm, {.function = "PAT_Gatherv",
             .signature = {.operation = Operation::gather, .root = root, .varying = true},
             .total_bytes = 0,
             .counts = std::move(bytes),
             .bind = bind,
             .library = library});
}

}  // namespace
}  // namespace pat

extern "C" int PAT_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const pat::Gather call{{sendbuf, sendcount, sendtype}, recvbuf, recvcount, recvtype, root, comm};
  if (pat::Settled* settled = pat::settled(call.plain()))
    return pat::run_settled(*settled, [&] { return call.library(); });
  return pat::with_error_handler(
      comm, [&] { return pat::run_collective(comm, pat::checked("PAT_Gather", call)); });
}

extern "C" int PAT_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                               MPI_Comm comm, PAT_Request* request) {
  return pat::with_error_handler(comm, [&] {
    pat::Arguments("PAT_Gather_init").handle(request);
    *request = reinterpret_cast<PAT_Request>(&pat::gather_request(
        {{sendbuf, sendcount, sendtype}, recvbuf, recvcount, recvtype, root, comm}));
    return MPI_SUCCESS;
  });
}

extern "C" int PAT_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                           int root, MPI_Comm comm) {
  return pat::with_error_handler(comm, [&] {
    return pat::gatherv({sendbuf, sendcount, sendtype}, recvbuf, recvcounts, displs, recvtype, root,
                        comm);
  });
}
