// Persistent gathers and scatters: a request walks from Start over Ready to Wait, and is brought
// forward by the daemon or inside PAT's calls. The engine is that of the plain calls.

#include "libpat/session/request.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/thread.hpp"
#include "libpat/session/runtime.hpp"

namespace pat {
namespace {

constexpr int most_parts = 65536;

[[noreturn]] void refuse(ErrorKind kind, const char* function, const std::string& what) {
  throw Error(kind, std::string(function) + ": " + what);
}

}  // namespace

MPI_Datatype KeptTypes::keep(MPI_Datatype type) {
  if (is_predefined(type)) return type;
  MPI_Datatype own = MPI_DATATYPE_NULL;  // not MPI_Type_dup, which runs the user's callbacks
  check(PMPI_Type_contiguous(1, type, &own));
  own_.push_back(own);
  check(PMPI_Type_commit(&own_.back()));
  return own;
}

KeptTypes::~KeptTypes() {
  for (MPI_Datatype& type : own_) PMPI_Type_free(&type);
}

Request::~Request() {
  // A collective of the library cannot be cancelled: one that is under way keeps its communicator.
  if (library_comm != MPI_COMM_NULL && library == MPI_REQUEST_NULL) PMPI_Comm_free(&library_comm);
}

bool Request::any_part_ready() const {
  return std::find(part_ready.begin(), part_ready.end(), true) != part_ready.end();
}

Request& Runtime::add_request(std::unique_ptr<Request> request) {
  const std::lock_guard lock(mutex);
  requests_.push_back(std::move(request));
  return *requests_.back();
}

Request& Runtime::request(void* handle, const char* function) {
  const std::lock_guard lock(mutex);
  for (const auto& request : requests_)
    if (request.get() == handle) return *request;
  refuse(ErrorKind::request, function,
         "this is no request of the session, make one with PAT_Gather_init or PAT_Scatter_init");
}

MPI_Comm Runtime::user_communicator(void* handle) {
  const std::lock_guard lock(mutex);
  for (const auto& request : requests_)
    if (request.get() == handle) return request->user_comm;
  return MPI_COMM_NULL;
}

std::size_t Runtime::active_requests() const {
  return static_cast<std::size_t>(std::count_if(
      requests_.begin(), requests_.end(), [](const auto& request) { return request->active(); }));
}

void Runtime::set_parts(Request& request, int parts, const char* function) {
  const std::lock_guard lock(mutex);
  if (request.active())
    refuse(ErrorKind::order, function, "the request is active, call PAT_Wait before it");
  if (parts < 1 || parts > most_parts)
    refuse(ErrorKind::argument, function,
           "parts is " + std::to_string(parts) + ", give 1 to " + std::to_string(most_parts));
  request.part_ends.clear();
  const auto n = static_cast<std::size_t>(parts);
  for (std::size_t part = 1; part <= n; ++part)
    request.part_ends.push_back(request.setup.send_elements * part / n *
                                request.setup.element_bytes);
  if (request.stream != nullptr) request.stream->parts = parts;
}

void Runtime::start_request(Request& request, const char* function) {
  const std::lock_guard lock(mutex);
  if (request.active())
    refuse(ErrorKind::order, function, "the request is active, call PAT_Wait before it");
  check(failure);
  if (request.comm != nullptr) request.comm->refuse_if_broken(function);
  handle_events();  // calls before this one
  request.state = Request::State::started;
  request.call = request.stream != nullptr ? request.stream->next_call : 0;
  request.asked = request.decided = request.counted = false;
  request.library_started = false;
  request.part_ready.assign(request.part_ends.size(), false);
  if (records_calls && request.comm != nullptr) {
    request.record = request.comm->calls.size();
    request.comm->calls.push_back({});
  }
  Progress progress;
  advance_request(request, progress);
  wake_daemon();
}

void Runtime::hand_over_part(Request& request, int part, const char* function) {
  const std::lock_guard lock(mutex);
  const auto parts = static_cast<int>(request.part_ends.size());
  if (request.state == Request::State::inactive)
    refuse(ErrorKind::order, function, "the request is not started, call PAT_Start first");
  if (request.state == Request::State::ready)
    refuse(ErrorKind::order, function,
           "the whole send buffer is handed over already, call PAT_Pready before PAT_Ready");
  if (part < 0 || part >= parts)
    refuse(ErrorKind::argument, function,
           parts == 0
               ? "the request has no parts, call PAT_Request_parts before PAT_Start"
               : "part is " + std::to_string(part) + ", give 0 to " + std::to_string(parts - 1));
  const auto index = static_cast<std::size_t>(part);
  if (request.part_ready[index])
    refuse(ErrorKind::order, function,
           "part " + std::to_string(part) + " is handed over already, give each part once");
  check(failure);
  request.part_ready[index] = true;
  if (request.execution) request.execution->hand_over_part(index);
  if (!daemon_on_ && !is_main_thread()) return;
  Progress progress;
  advance_request(request, progress);
}

void Runtime::ready_request(Request& request, const char* function) {
  const std::int64_t arrival_ns = now_ns();
  const std::lock_guard lock(mutex);
  if (request.state == Request::State::inactive)
    refuse(ErrorKind::order, function,
           "the request is not started, call PAT_Start before PAT_Ready");
  if (request.state == Request::State::ready)
    refuse(ErrorKind::order, function, "the request is ready already, call PAT_Wait next");
  check(failure);
  handle_events();
  request.state = Request::State::ready;
  request.arrival_ns = arrival_ns;
  RegionState* region = phase_before_call(arrival_ns, arrival_ns);
  if (records_calls && request.comm != nullptr)
    request.comm->calls[request.record] = record_of(region, request.stream, arrival_ns);
  if (request.stream != nullptr) {
    learn_what_followed(*request.comm, *request.stream, region, arrival_ns);
    ++request.stream->next_call;
  } else {
    ++static_calls;
  }
  Progress progress;
  advance_request(request, progress);
  wake_daemon();
}

bool Runtime::test_request(Request& request, const char* function) {
  const std::lock_guard lock(mutex);
  if (request.taken) refuse(ErrorKind::order, function, "another thread waits for this request");
  if (!request.active()) return true;
  check(failure);
  Progress progress;
  if (daemon_on_)
    advance_request(request, progress);
  else
    this->progress();
  if (!request.finished()) return false;
  check(end_request(request));
  return true;
}

void Runtime::wait_for_request(Request& request, const char* function) {
  std::unique_lock lock(mutex);
  if (request.taken) refuse(ErrorKind::order, function, "another thread waits for this request");
  if (!request.active()) return;
  if (request.state == Request::State::started)
    refuse(ErrorKind::order, function,
           "the request is not ready, call PAT_Ready first, or PAT_Test which does not wait");
  Progress ignored;
  for (int attempt = 0; advance_request(request, ignored), !request.under_way(); ++attempt) {
    lock.unlock();
    pause(attempt);
    lock.lock();
    progress();
    check(failure);
  }
  check(failure);
  request.taken = true;
  const auto hook = while_waiting(function, [&request]() -> std::string {
    return request.execution ? request.execution->state() : "in the MPI library";
  });
  lock.unlock();
  try {
    if (request.execution)
      request.execution->finish(hook);
    else
      wait_for_library(request, hook);
  } catch (...) {
    lock.lock();
    request.taken = false;
    if (request.execution)
      request.comm->break_off();
    else
      end_request(request);  // the library's calls are on a communicator of the request's own
    throw;
  }
  lock.lock();
  check(end_request(request));
}

void Runtime::wait_for_library(Request& request, const std::function<void(double)>& hook) {
  if (!hook) {
    check(PMPI_Wait(&request.library, MPI_STATUS_IGNORE));
    return;
  }
  const std::int64_t start_ns = now_ns();
  for (int attempt = 0, done = 0;; ++attempt) {
    check(PMPI_Test(&request.library, &done, MPI_STATUS_IGNORE));
    if (done) return;
    pause(attempt);
    hook(static_cast<double>(now_ns() - start_ns) * 1e-9);
  }
}

void Runtime::free_request(Request& request, const char* function) {
  std::unique_ptr<Request> gone;
  const std::lock_guard lock(mutex);
  if (request.active())
    refuse(ErrorKind::order, function, "the request is active, call PAT_Wait before it");
  if (Stream* stream = request.stream) {
    stream->in_use = false;
    for (const auto& region : regions_)
      if (region->next_request == stream) {
        region->next_request = nullptr;
        region->next_call.reset();
      }
  }
  const auto place = std::find_if(requests_.begin(), requests_.end(), [&](const auto& candidate) {
    return candidate.get() == &request;
  });
  gone = std::move(*place);
  requests_.erase(place);
  if (gone->comm == nullptr || !gone->comm->orphaned) return;
  const bool last = std::none_of(requests_.begin(), requests_.end(),
                                 [&](const auto& other) { return other->comm == gone->comm; });
  if (last) remove(*gone->comm);
}

std::function<void(double)> Runtime::while_waiting(const char* function,
                                                   std::function<std::string()> state) {
  const bool pushes = !daemon_on_ && active_requests() > 0;
  const bool watches = config.watchdog_s > 0.0;
  if (!pushes && !watches) return nullptr;
  return [this, function, state = std::move(state), pushes, watches,
          next_s = config.watchdog_s](double waited_s) mutable {
    if (pushes) {
      const std::lock_guard lock(mutex);
      progress();
    }
    if (!watches || waited_s < next_s) return;
    next_s *= 2.0;
    spdlog::critical("{} on rank {} has waited {:.1f} s: {}", function, rank_, waited_s, state());
  };
}

// ---------------------------------------------------------------- going forward, under the lock

void Runtime::advance_request(Request& request, Progress& progress) {
  if (!request.active() || request.taken || request.finished()) return;
  progress.computing = true;  // keeps the daemon awake
  if (!request.decided && !decide_request(request)) return;
  if (request.state == Request::State::ready && !request.counted && request.stream != nullptr) {
    request.counted = true;
    ++request.stream->tally.calls_by_algorithm[request.decision.chosen().name];
    if (!daemon_on_)
      report_without_daemon(*request.comm, *request.stream, request.decision, request.call,
                            request.arrival_ns);
  }
  if (request.by_library()) return advance_library(request);
  if (!request.execution && !begin_request(request, progress)) return;
  if (request.state == Request::State::ready && !request.execution->joined())
    request.execution->join(request.setup.buffers);
  note_moving(*request.stream, request.execution->advance(), progress);
}

bool Runtime::decide_request(Request& request) {
  if (request.stream == nullptr) return request.decided = true;
  Communicator& comm = *request.comm;
  Stream& stream = *request.stream;
  if (request.call == 0) {
    request.decision = first_decision(comm, stream);
    return request.decided = true;
  }
  auto decision = stream.decision_for(request.call);
  const bool leads = comm.rank() == stream.leader_rank;
  const bool arrived = request.state == Request::State::ready;
  if (decision == nullptr && leads && (arrived || request.any_part_ready())) {
    decide(comm, stream, request.call);
    decision = stream.decision_for(request.call);
  }
  if (decision == nullptr && !leads && arrived && !request.asked) {
    request.asked = true;
    ask_for_decision(comm, stream, request.call, request.arrival_ns);
  }
  if (decision == nullptr) return false;
  request.decision = *decision;
  stream.drop_decisions_before(request.call);
  return request.decided = true;
}

bool Runtime::begin_request(Request& request, Progress& progress) {
  Communicator& comm = *request.comm;
  Stream& stream = *request.stream;
  const bool early = request.state == Request::State::started;
  const bool has_parts = !request.part_ends.empty();
  if (early && !has_parts && !request.decision.chosen().background) return false;
  if (early && !request.any_part_ready() &&
      !may_begin(comm, stream, request.decision, request.call, progress))
    return false;
  const auto built = program(comm, stream, request.decision, request.call);
  if (early && !has_parts && !stream.program.moves_early()) return false;
  request.execution =
      std::make_unique<Execution>(built, comm.data(), comm.tags(stream, request.call), 0);
  request.execution->open(request.setup.buffers, request.part_ends);
  for (std::size_t part = 0; part < request.part_ready.size(); ++part)
    if (request.part_ready[part]) request.execution->hand_over_part(part);
  if (early) ++stream.tally.background_calls;
  return true;
}

void Runtime::advance_library(Request& request) {
  if (request.state != Request::State::ready) return;
  if (!request.library_started) {
    check(request.setup.start_library(request.library_comm, &request.library));
    request.library_started = true;
  }
  int done = 0;
  if (request.library != MPI_REQUEST_NULL)
    check(PMPI_Test(&request.library, &done, MPI_STATUS_IGNORE));
}

int Runtime::end_request(Request& request) {
  int error = MPI_SUCCESS;
  if (request.execution) {
    request.execution->finish();  // all is here; brings home what does not fit the user's type
    request.stream->tally.out_of_turn += request.execution->out_of_turn();
    error = request.execution->error();
    request.execution.reset();
  }
  request.taken = false;
  request.state = Request::State::inactive;
  if (request.stream == nullptr) return error;
  const std::int64_t exit_ns = now_ns();
  request.stream->tally.in_call_s += static_cast<double>(exit_ns - request.arrival_ns) * 1e-9;
  expect_next_call(*request.comm, *request.stream, exit_ns);
  return error;
}

}  // namespace pat
