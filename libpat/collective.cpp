#include "libpat/collective.hpp"

#include <spdlog/spdlog.h>

#include <climits>

#include "core/errors.hpp"
#include "libpat/last_error.hpp"
#include "libpat/mpi_check.hpp"

namespace pat {
namespace {

/// Whether the arguments alone, which are equal on all ranks, leave the call to the MPI library.
bool is_static(const Session& session, const Communicator& comm, const CollectiveCall& call) {
  const Algorithm* fixed = session.chosen(call.signature.operation);
  if (comm.size() == 1 || call.signature.block_bytes == 0 || call.total_bytes > INT_MAX)
    return true;
  if (fixed == nullptr) return call.total_bytes < session.config.min_bytes;
  return fixed->name == "mpi";
}

std::function<void(double)> watchdog(const Session& session, const Execution& execution,
                                     const CollectiveCall& call, int rank) {
  if (session.config.watchdog_s <= 0.0) return nullptr;
  return [&, rank, next_s = session.config.watchdog_s](double waited_s) mutable {
    if (waited_s < next_s) return;
    next_s *= 2.0;
    spdlog::critical("{} on rank {} has waited {:.1f} s: {}", call.function, rank, waited_s,
                     execution.state());
  };
}

int run_schedule(Session& session, Communicator& comm, Stream& stream, Session::Ticket& ticket,
                 const CollectiveCall& call) {
  if (!ticket.execution) {
    std::shared_ptr<const Program> program;
    {
      const std::lock_guard lock(session.mutex);
      program = session.program(comm, stream, ticket.decision, ticket.call);
    }
    ticket.execution = std::make_unique<Execution>(std::move(program), comm.data(),
                                                   comm.tag_base(stream, ticket.call),
                                                   session.config.scratch_bytes);
  }
  ticket.execution->join(call.bind());
  ticket.execution->finish(watchdog(session, *ticket.execution, call, session.rank()));
  return MPI_SUCCESS;
}

}  // namespace

int run_collective(MPI_Comm comm, const CollectiveCall& call) {
  Session& session = Session::get(call.function);
  const std::int64_t arrival_ns = now_ns();
  check(session.failure);
  Communicator* twin = session.communicator(comm);
  if (twin == nullptr) return call.library();
  Stream* stream = nullptr;
  if (!is_static(session, *twin, call)) {
    const std::lock_guard lock(session.mutex);
    stream = twin->obtain(call.signature, session.chosen(call.signature.operation));
  }
  int code = MPI_SUCCESS;
  if (stream == nullptr) {
    code = call.library();
  } else {
    Session::Ticket ticket = session.arrive(*twin, *stream, arrival_ns);
    const Algorithm& algorithm = ticket.decision.chosen();
    ++stream->calls_by_algorithm[algorithm.name];
    code = algorithm.build == nullptr ? call.library()
                                      : run_schedule(session, *twin, *stream, ticket, call);
  }
  session.leave(*twin, stream, arrival_ns);
  return code;
}

int with_error_handler(MPI_Comm comm, const std::function<int()>& body) {
  const int code = guarded(body);
  if (code != MPI_SUCCESS)
    PMPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, code);
  return code;
}

}  // namespace pat
