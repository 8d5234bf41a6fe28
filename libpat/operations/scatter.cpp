// PAT_Scatter and PAT_Scatterv: MPI's arguments, checked as MPI checks them, then run by the
// generic part.

#include <string>
#include <vector>

#include "libpat/mpi/check.hpp"
#include "libpat/mpi/datatype.hpp"
#include "libpat/operations/arguments.hpp"
#include "libpat/session/collective.hpp"
#include "pat/pat.h"

namespace pat {
namespace {

struct RecvSide {
  void* buffer;
  int count;
  MPI_Datatype type;
};

void check_recv(const Arguments& arguments, const RecvSide& recv, const void* sendbuf, bool root) {
  if (recv.buffer == MPI_IN_PLACE) {
    if (!root)
      arguments.refuse(ErrorKind::argument,
                       "recvbuf is MPI_IN_PLACE, which only the root may give");
    return;
  }
  arguments.count(recv.count, "recvcount");
  arguments.datatype(recv.type, "recvtype");
  if (root && sendbuf == MPI_IN_PLACE)
    arguments.refuse(ErrorKind::argument, "sendbuf is MPI_IN_PLACE, give it as recvbuf instead");
}

/// The arguments of a scatter with equal counts.
struct Scatter {
  const void* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  RecvSide recv;
  int root;
  MPI_Comm comm;

  int library() const {
    return PMPI_Scatter(sendbuf, sendcount, sendtype, recv.buffer, recv.count, recv.type, root,
                        comm);
  }
  CallArguments plain() const {
    return {.operation = Operation::scatter,
            .root = root,
            .counts = {sendcount, recv.count},
            .types = {sendtype, recv.type},
            .in_place = {sendbuf == MPI_IN_PLACE, recv.buffer == MPI_IN_PLACE},
            .comm = comm};
  }
};

UserBuffers bind_recv(const RecvSide& recv) {
  UserBuffers buffers;
  buffers.in_place = recv.buffer == MPI_IN_PLACE;
  if (!buffers.in_place)
    buffers.recv = Area::packed(recv.buffer, recv.count, recv.type, inspect(recv.type));
  return buffers;
}

/// Checks the arguments; what it returns refers to them.
CollectiveCall checked(const char* function, const Scatter& s) {
  const Arguments arguments(function);
  arguments.communicator(s.comm);
  Runtime::get(function);
  const auto library = [&s] { return s.library(); };
  if (is_inter_communicator(s.comm)) return library_call(function, library);
  const Caller me = caller_in(s.comm);
  arguments.root(s.root, me.size);
  const bool is_root = me.rank == s.root;
  if (is_root) {
    arguments.count(s.sendcount, "sendcount");
    arguments.datatype(s.sendtype, "sendtype");
  }
  check_recv(arguments, s.recv, s.sendbuf, is_root);
  const std::size_t block_bytes =
      is_root ? static_cast<std::size_t>(s.sendcount) * packed_size(s.sendtype)
              : static_cast<std::size_t>(s.recv.count) * packed_size(s.recv.type);
  const auto bind = [&s, is_root] {
    UserBuffers buffers = bind_recv(s.recv);
    if (is_root)
      buffers.send = Area::packed(s.sendbuf, s.sendcount, s.sendtype, inspect(s.sendtype));
    return buffers;
  };
  return {.function = function,
          .signature = {Operation::scatter, s.root, block_bytes},
          .total_bytes = block_bytes * static_cast<std::size_t>(me.size),
          .counts = {},
          .bind = bind,
          .library = library,
          .arguments = s.plain(),
          .types = {is_root ? s.sendtype : MPI_Datatype{},
                    s.recv.buffer == MPI_IN_PLACE ? MPI_Datatype{} : s.recv.type}};
}

Request& scatter_request(const Scatter& arguments) {
  constexpr const char* function = "PAT_Scatter_init";
  checked(function, arguments);
  RequestSetup setup;
  const auto s = std::make_shared<Scatter>(arguments);
  const RootedSides sides = rooted_sides(s->comm, s->root);
  if (sides.leaf && s->recv.buffer != MPI_IN_PLACE) s->recv.type = setup.types.keep(s->recv.type);
  if (sides.root) {
    s->sendtype = setup.types.keep(s->sendtype);
    setup.send_elements =
        static_cast<std::size_t>(s->sendcount) * static_cast<std::size_t>(sides.blocks);
    setup.element_bytes = packed_size(s->sendtype);
  }
  const CollectiveCall call = checked(function, *s);
  if (call.bind) setup.buffers = call.bind();
  setup.start_library = [s](MPI_Comm comm, MPI_Request* request) {
    return PMPI_Iscatter(s->sendbuf, s->sendcount, s->sendtype, s->recv.buffer, s->recv.count,
                         s->recv.type, s->root, comm, request);
  };
  return make_request(s->comm, call, std::move(setup));
}

int scatterv(const void* sendbuf, const int* sendcounts, const int* displs, MPI_Datatype sendtype,
             const RecvSide& recv, int root, MPI_Comm comm) {
  const Arguments arguments("PAT_Scatterv");
  arguments.communicator(comm);
  Runtime::get("PAT_Scatterv");
  const auto library = [&] {
    return PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recv.buffer, recv.count, recv.type,
                         root, comm);
  };
  if (is_inter_communicator(comm)) return library();
  const Caller me = caller_in(comm);
  arguments.root(root, me.size);
  const bool is_root = me.rank == root;
  if (is_root) {
    arguments.counts(sendcounts, displs, me.size, "sendcounts");
    arguments.datatype(sendtype, "sendtype");
  }
  check_recv(arguments, recv, sendbuf, is_root);
  std::vector<std::size_t> bytes =
      is_root ? bytes_per_rank(me, sendcounts, packed_size(sendtype), 0)
              : bytes_per_rank(me, nullptr, 0,
                               static_cast<std::size_t>(recv.count) * packed_size(recv.type));
  const auto bind = [&] {
    UserBuffers buffers = bind_recv(recv);
    if (is_root)
      buffers.send =
          Area::packed_blocks(sendbuf, sendcounts, displs, me.size, sendtype, inspect(sendtype));
    return buffers;
  };
  return run_collective(
      comm, {.function = "PAT_Scatterv",
             .signature = {.operation = Operation::scatter, .root = root, .varying = true},
             .total_bytes = 0,
             .counts = std::move(bytes),
             .bind = bind,
             .library = library});
}

}  // namespace
}  // namespace pat

extern "C" int PAT_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const pat::Scatter call{sendbuf, sendcount, sendtype, {recvbuf, recvcount, recvtype}, root, comm};
  if (pat::Settled* settled = pat::settled(call.plain()))
    return pat::run_settled(*settled, [&] { return call.library(); });
  return pat::with_error_handler(
      comm, [&] { return pat::run_collective(comm, pat::checked("PAT_Scatter", call)); });
}

extern "C" int PAT_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                MPI_Comm comm, PAT_Request* request) {
  return pat::with_error_handler(comm, [&] {
    pat::Arguments("PAT_Scatter_init").handle(request);
    *request = reinterpret_cast<PAT_Request>(&pat::scatter_request(
        {sendbuf, sendcount, sendtype, {recvbuf, recvcount, recvtype}, root, comm}));
    return MPI_SUCCESS;
  });
}

extern "C" int PAT_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                            MPI_Datatype sendtype, void* recvbuf, int recvcount,
                            MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return pat::with_error_handler(comm, [&] {
    return pat::scatterv(sendbuf, sendcounts, displs, sendtype, {recvbuf, recvcount, recvtype},
                         root, comm);
  });
}
