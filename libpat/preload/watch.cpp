#include "libpat/preload/watch.hpp"

#include "core/errors.hpp"
#include "libpat/api/error_handler.hpp"
#include "libpat/execution/library_run.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/last_error.hpp"
#include "libpat/operations/checks.hpp"
#include "libpat/operations/collective.hpp"
#include "libpat/preload/inject.hpp"
#include "libpat/session/session.hpp"

namespace pat::detail {
namespace {

bool would_refuse(const Arguments& arguments) {
  try {
    check_arguments(arguments, caller_in(arguments));
    return false;
  } catch (const Error&) {
    return true;
  } catch (const MpiFailure&) {
    return true;
  }
}

int call_unsettled(const Arguments& arguments) {
  if (would_refuse(arguments)) return library_calls(arguments).call(arguments);
  return with_error_handler(arguments.comm, [&] { return call(arguments); });
}

int call_by_pat(const Arguments& arguments) {
  Settled* now = settled(arguments);
  return now != nullptr ? call_settled(arguments, *now) : call_unsettled(arguments);
}

/// Communicators without a twin have no trace. Collective where the call is.
void meet(MPI_Comm comm, const char* function) {
  if (comm == MPI_COMM_NULL || Twins::attached(comm) != nullptr) return;
  static_cast<void>(guarded([&] {
    Session::get(function).twin(comm, function);
    return MPI_SUCCESS;
  }));
}

}  // namespace

int call_of_program(const Arguments& arguments, const void* caller) {
  if (!is_watching() || Phases::mine().inside) return library_calls(arguments).call(arguments);
  Phases& phases = Phases::mine();
  Phases::Place& here = phases.place(arguments.function, arguments.comm, caller);
  if (here.is_the_librarys) return library_calls(arguments).call(arguments);
  const Injection injection(arguments);
  Arguments seen = arguments;
  seen.site = caller;
  if (!finds_phases()) return call_by_pat(seen);
  phases.arrive(here, now_ns());
  const int code = call_by_pat(seen);
  if (is_watching()) phases.leave(here, now_ns());
  return code;
}

WatchedCollective::WatchedCollective(PassedOn& count, const char* function, MPI_Comm comm,
                                     const void* caller)
    : count_(count) {
  if (!is_watching() || Phases::mine().inside) return;
  Phases& phases = Phases::mine();
  Phases::Place& here = phases.place(function, comm, caller);
  if (here.is_the_librarys) return;
  injection_.emplace(function, comm);
  since_ns_ = now_ns();
  if (finds_phases()) {
    meet(comm, function);
    phases.arrive(here, since_ns_);
    place_ = &here;
    watch(function, comm, caller);
  }
  phases_ = &phases;
  phases.inside = true;
}

void WatchedCollective::watch(const char* function, MPI_Comm comm, const void* caller) {
  const Session& session = *Session::instance();
  if (session.watchdog() == nullptr) return;
  arguments_.function = function;
  arguments_.comm = comm;
  arguments_.site = caller;
  Twin* twin = comm != MPI_COMM_NULL ? Twins::attached(comm) : nullptr;
  const CallPlace place = twin != nullptr ? CallPlace{&twin->entered, twin->id()} : CallPlace{};
  watch_.emplace(session.watchdog(), arguments_, place, Watchdog::Says::nothing);
}

WatchedCollective::~WatchedCollective() {
  watch_.reset();
  if (phases_ == nullptr) return;
  phases_->inside = false;
  const std::int64_t left_ns = now_ns();
  count_.add(left_ns - since_ns_);
  if (place_ == nullptr || !is_watching()) return;
  phases_->note_left_to_mpi(*place_, left_ns);
  phases_->leave(*place_, left_ns);
}

}  // namespace pat::detail
