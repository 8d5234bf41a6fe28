#include "libpat/session/collective.hpp"

#include <pat/pat.h>
#include <spdlog/spdlog.h>

#include <climits>

#include "core/errors.hpp"
#include "libpat/execution/dynamic_run.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/last_error.hpp"
#include "libpat/mpi/private_communicator.hpp"

namespace pat {
namespace {

/// Whether the arguments alone, which are equal on all ranks, leave the call to the MPI library.
bool is_static(const Runtime& runtime, const Communicator& comm, const CollectiveCall& call) {
  const Algorithm* fixed = runtime.algorithm_for(call.signature);
  if (comm.size() == 1) return true;
  if (call.signature.varying) return fixed != nullptr && fixed->name == "mpi";
  if (call.signature.block_bytes == 0 || call.total_bytes > INT_MAX) return true;
  if (fixed == nullptr) return call.total_bytes < runtime.config.min_bytes;
  return fixed->name == "mpi";
}

template <class Run>
std::function<void(double)> waiting_hook(Runtime& runtime, const CollectiveCall& call,
                                         const Run& run) {
  const std::lock_guard lock(runtime.mutex);
  return runtime.while_waiting(call.function, [&run] { return run.state(); });
}

/// What a call came to. The library's own errors have been through the error handler.
struct Outcome {
  int of_library = MPI_SUCCESS;
  int of_execution = MPI_SUCCESS;
};

/// Brings the call forward to its end. If it breaks off, messages of it are still on their way.
template <class Run>
void finish(Communicator& comm, Run&& run) {
  try {
    run();
  } catch (...) {
    comm.break_off();
    throw;
  }
}

Outcome run_schedule(Runtime& runtime, Communicator& comm, Stream& stream, Runtime::Ticket& ticket,
                     const CollectiveCall& call) {
  if (!ticket.execution) {
    std::shared_ptr<const Program> program;
    {
      const std::lock_guard lock(runtime.mutex);
      program = runtime.program(comm, stream, *ticket.decision, ticket.call);
    }
    ticket.execution =
        std::make_unique<Execution>(std::move(program), comm.data(), comm.tags(stream, ticket.call),
                                    runtime.config.scratch_bytes);
  }
  finish(comm, [&] {
    ticket.execution->join(call.bind());
    ticket.execution->finish(waiting_hook(runtime, call, *ticket.execution));
  });
  stream.tally.out_of_turn += ticket.execution->out_of_turn();
  return {.of_execution = ticket.execution->error()};
}

Outcome run_dynamic(Runtime& runtime, Communicator& comm, Stream& stream,
                    const Runtime::Ticket& ticket, const CollectiveCall& call) {
  const Problem problem = runtime.problem_of(comm, stream, *ticket.decision);
  DynamicRun run(ticket.decision->chosen().protocol(problem, comm.rank()), call.bind(),
                 problem.units, comm.rank() == problem.root, comm.mailbox(), comm.data(),
                 comm.tags(stream, ticket.call).first);
  finish(comm, [&] { run.finish(waiting_hook(runtime, call, run)); });
  return {.of_execution = run.error()};
}

/// Arrives, and does what was decided.
Outcome run_decided(Runtime& runtime, Communicator& comm, Stream& stream,
                    const CollectiveCall& call, std::int64_t arrival_ns) {
  Runtime::Ticket ticket = runtime.arrive(comm, stream, arrival_ns);
  const Algorithm& algorithm = ticket.decision->chosen();
  ++stream.tally.calls_by_algorithm[algorithm.name];
  if (algorithm.protocol != nullptr) return run_dynamic(runtime, comm, stream, ticket, call);
  if (algorithm.build != nullptr) return run_schedule(runtime, comm, stream, ticket, call);
  return {.of_library = call.library()};
}

}  // namespace

int run_collective(MPI_Comm comm, const CollectiveCall& call) {
  Runtime& runtime = Runtime::get(call.function);
  const std::int64_t arrival_ns = now_ns();
  const std::uint64_t drops = settled_drops();
  check(runtime.failure);
  Communicator* twin = runtime.communicator(comm);
  if (twin == nullptr) return call.library();
  twin->refuse_if_broken(call.function);
  Stream* stream = nullptr;
  if (!is_static(runtime, *twin, call)) {
    const std::lock_guard lock(runtime.mutex);
    stream = twin->obtain(call.signature, runtime.algorithm_for(call.signature));
    if (stream != nullptr && call.signature.varying) stream->counts = call.counts;
  }
  Outcome outcome;
  if (stream == nullptr) {
    outcome.of_library = call.library();
  } else {
    try {
      outcome = run_decided(runtime, *twin, *stream, call, arrival_ns);
    } catch (...) {
      runtime.abandon_call();
      throw;
    }
  }
  runtime.leave(*twin, stream, arrival_ns);
  check(outcome.of_execution);
  if (call.arguments)
    keep_settled(*call.arguments, call.types,
                 stream != nullptr ? stream->settled : twin->settled_without_stream, drops);
  return outcome.of_library;
}

Request& make_request(MPI_Comm comm, const CollectiveCall& call, RequestSetup setup) {
  Runtime& runtime = Runtime::get(call.function);
  check(runtime.failure);
  auto request = std::make_unique<Request>(std::move(setup));
  request->comm = runtime.communicator(comm);
  if (request->comm != nullptr) request->comm->refuse_if_broken(call.function);
  // Without a twin nobody says when the user frees it: errors then go to MPI_COMM_WORLD's handler.
  request->user_comm = request->comm != nullptr ? comm : MPI_COMM_NULL;
  if (request->comm != nullptr && !is_static(runtime, *request->comm, call)) {
    CallSignature signature = call.signature;
    signature.persistent = true;
    const std::lock_guard lock(runtime.mutex);
    request->stream =
        request->comm->obtain_for_request(signature, runtime.algorithm_for(call.signature));
    if (request->stream != nullptr) request->stream->parts = 0;
  }
  const Algorithm* fixed = request->stream != nullptr ? request->stream->fixed : nullptr;
  if (fixed == nullptr || fixed->build == nullptr)
    request->library_comm = private_communicator(comm);
  return runtime.add_request(std::move(request));
}

namespace {

/// A handler that ends the job says what MPI knows of the code only, so the sentence comes first.
void call_error_handler(MPI_Comm comm, int code) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
    if (handler == MPI_ERRORS_ARE_FATAL) spdlog::error("{}", PAT_Error_string());
    PMPI_Errhandler_free(&handler);
  }
  PMPI_Comm_call_errhandler(comm, code);
}

}  // namespace

int with_error_handler(MPI_Comm comm, const std::function<int()>& body) {
  bool refused = false;  // an error that the MPI library returned has been through its handler
  const int code = guarded([&] {
    try {
      return body();
    } catch (...) {
      refused = true;
      throw;
    }
  });
  if (code != MPI_SUCCESS && !refused) remember_mpi_error(code);
  if (refused) call_error_handler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, code);
  return code;
}

}  // namespace pat
