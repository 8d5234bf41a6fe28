// PAT_Start to PAT_Request_free, PAT_Wait and its kin: the C functions of requests.

#include <exception>
#include <optional>
#include <string>

#include "libpat/api/error_handler.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/thread.hpp"
#include "libpat/operations/checks.hpp"
#include "libpat/session/session.hpp"
#include "pat/pat.h"

namespace pat::detail {
namespace {

constexpr int most_parts = 65536;

/// Whose error handler a mistake with this request goes to; null where there is none of its own.
MPI_Comm communicator_of(PAT_Request handle) {
  Session* session = Session::instance().get();
  if (session == nullptr) return MPI_COMM_NULL;
  return session->under_lock(
      [&](Locked& locked) { return session->requests.user_communicator(locked, handle); });
}

/// `body(session, locked, call)` with the lock.
template <class Body>
int with_request(PAT_Request handle, const char* function, Body&& body) {
  return with_error_handler(communicator_of(handle), [&] {
    Session& session = Session::get(function);
    session.under_lock([&](Locked& locked) {
      body(session, locked, session.requests.at(locked, handle, function));
    });
    return MPI_SUCCESS;
  });
}

template <class Pointer>
void require(Pointer place, const char* function, const char* name) {
  if (place == nullptr)
    refuse(ErrorKind::argument, function,
           std::string(name) + " is a null pointer, give a place for it");
}

void require_idle(const Call& call, const char* function) {
  if (call.active())
    refuse(ErrorKind::order, function, "the request is active, call PAT_Wait before it");
}

void require_persistent(const Call& call, const char* function) {
  if (call.signature.form != Form::persistent)
    refuse(
        ErrorKind::request, function,
        "the request is of a call that has begun, only those of PAT_Gather_init and its kind are "
        "started");
}

void require_not_taken(const Call& call, const char* function) {
  if (call.taken) refuse(ErrorKind::order, function, "another thread waits for this request");
}

void require_ready(const Call& call, const char* function) {
  if (call.state == Call::State::open)
    refuse(ErrorKind::order, function,
           "the request is not ready, call PAT_Ready first, or PAT_Test which does not wait");
}

// ---------------------------------------------------------------- one request

void set_parts(Call& call, int parts) {
  constexpr const char* function = "PAT_Request_parts";
  require_persistent(call, function);
  require_idle(call, function);
  if (parts < 1 || parts > most_parts)
    refuse(ErrorKind::argument, function,
           "parts is " + std::to_string(parts) + ", give 1 to " + std::to_string(most_parts));
  call.part_ends.clear();
  const auto n = static_cast<std::size_t>(parts);
  for (std::size_t part = 1; part <= n; ++part)
    call.part_ends.push_back(call.elements.count * part / n * call.elements.units_each);
  if (call.stream != nullptr) call.stream->parts = parts;
}

void start_request(Session& session, Locked& locked, Call& call) {
  constexpr const char* function = "PAT_Start";
  require_persistent(call, function);
  require_idle(call, function);
  check(session.failure);
  if (call.twin != nullptr) call.twin->refuse_if_broken(function);
  call.arguments.function = "PAT_Wait";  // what a wait for it is called
  session.calls.open(locked, call);
}

void hand_over_part(Session& session, Locked& locked, Call& call, int part) {
  constexpr const char* function = "PAT_Pready";
  const auto parts = static_cast<int>(call.part_ends.size());
  require_persistent(call, function);
  if (!call.active())
    refuse(ErrorKind::order, function, "the request is not started, call PAT_Start first");
  if (call.ready())
    refuse(ErrorKind::order, function,
           "the whole send buffer is handed over already, call PAT_Pready before PAT_Ready");
  if (part < 0 || part >= parts)
    refuse(ErrorKind::argument, function,
           parts == 0
               ? "the request has no parts, call PAT_Request_parts before PAT_Start"
               : "part is " + std::to_string(part) + ", give 0 to " + std::to_string(parts - 1));
  const auto index = static_cast<std::size_t>(part);
  if (call.part_ready[index])
    refuse(ErrorKind::order, function,
           "part " + std::to_string(part) + " is handed over already, give each part once");
  check(session.failure);
  session.calls.hand_over_part(locked, call, index);
}

void make_ready(Session& session, Locked& locked, Call& call, std::int64_t arrival_ns) {
  constexpr const char* function = "PAT_Ready";
  require_persistent(call, function);
  if (!call.active())
    refuse(ErrorKind::order, function,
           "the request is not started, call PAT_Start before PAT_Ready");
  if (call.ready())
    refuse(ErrorKind::order, function, "the request is ready already, call PAT_Wait next");
  check(session.failure);
  session.calls.ready(locked, call, arrival_ns);
}

/// A non-blocking request ends with its call.
struct ReleaseIfOver {
  Session& session;
  Locked& locked;
  PAT_Request handle;
  const Call& call;
  ~ReleaseIfOver() {
    if (call.signature.form == Form::nonblocking && !call.active())
      session.requests.release(locked, handle);
  }
};

bool test(Session& session, Locked& locked, PAT_Request handle, Call& call, const char* function) {
  require_not_taken(call, function);
  if (!call.active()) return true;
  check(session.failure);
  const ReleaseIfOver release{session, locked, handle, call};
  int code = MPI_SUCCESS;
  const bool over = session.rounds.test(locked, call, code);
  check(code);
  return over;
}

void wait(Session& session, Locked& locked, PAT_Request handle, Call& call, const char* function) {
  require_not_taken(call, function);
  if (!call.active()) return;
  require_ready(call, function);
  const ReleaseIfOver release{session, locked, handle, call};
  call.arguments.function = function;
  check(session.rounds.finish(locked, call));
}

// ---------------------------------------------------------------- several requests

/// The requests of an array, null ones left out, checked.
class RequestArray {
 public:
  RequestArray(const char* function, int count, PAT_Request* handles)
      : function_(function), handles_(handles), count_(count) {
    if (count < 0)
      refuse(ErrorKind::count, function, "count is " + std::to_string(count) + ", give at least 0");
    if (count > 0) require(handles, function, "requests");
  }

  /// Throws for the first that is none, or that is waited for elsewhere.
  void check_all(Session& session, Locked& locked, bool must_be_ready) const {
    for (int i = 0; i < count_; ++i) {
      const Call* call = at(session, locked, i);
      if (call == nullptr) continue;
      require_not_taken(*call, function_);
      if (must_be_ready) require_ready(*call, function_);
    }
  }

  int count() const { return count_; }
  /// Null for a null handle.
  Call* at(Session& session, Locked& locked, int i) const {
    return handles_[i] == PAT_REQUEST_NULL ? nullptr
                                           : &session.requests.at(locked, handles_[i], function_);
  }

  /// Whether it is over now; a non-blocking one is null then, also when that throws.
  bool test_one(Session& session, Locked& locked, int i) const {
    Call* call = at(session, locked, i);
    if (call == nullptr) return true;
    const NullIfGone null{session, locked, handles_[i]};
    return test(session, locked, handles_[i], *call, function_);
  }
  void wait_one(Session& session, Locked& locked, int i) const {
    Call* call = at(session, locked, i);
    if (call == nullptr) return;
    const NullIfGone null{session, locked, handles_[i]};
    wait(session, locked, handles_[i], *call, function_);
  }

  bool all_over(Session& session, Locked& locked) const {
    for (int i = 0; i < count_; ++i) {
      const Call* call = at(session, locked, i);
      if (call != nullptr && call->active() && !call->over()) return false;
    }
    return true;
  }

  /// The first that has been over since it became active; MPI_UNDEFINED: none is active; nothing:
  /// none is over yet.
  std::optional<int> any_over(Session& session, Locked& locked) const {
    bool active = false;
    for (int i = 0; i < count_; ++i) {
      const Call* call = at(session, locked, i);
      if (call == nullptr || !call->active()) continue;
      active = true;
      if (test_one(session, locked, i)) return i;
    }
    return active ? std::nullopt : std::optional(MPI_UNDEFINED);
  }

 private:
  struct NullIfGone {
    Session& session;
    Locked& locked;
    PAT_Request& handle;
    ~NullIfGone() {
      if (!session.requests.knows(locked, handle)) handle = PAT_REQUEST_NULL;
    }
  };

  const char* function_;
  PAT_Request* handles_;
  int count_;
};

template <class Body>
int with_requests(const char* function, int count, PAT_Request* handles, Body&& body) {
  MPI_Comm first = MPI_COMM_NULL;
  for (int i = 0; handles != nullptr && i < count && first == MPI_COMM_NULL; ++i)
    first = communicator_of(handles[i]);
  return with_error_handler(first, [&] {
    const RequestArray requests(function, count, handles);
    Session& session = Session::get(function);
    session.under_lock([&](Locked& locked) { body(session, locked, requests); });
    return MPI_SUCCESS;
  });
}

}  // namespace
}  // namespace pat::detail

using pat::detail::Call;
using pat::detail::Locked;
using pat::detail::RequestArray;
using pat::detail::Session;
using pat::detail::with_request;
using pat::detail::with_requests;

extern "C" {

int PAT_Request_parts(PAT_Request request, int parts) {
  return with_request(request, "PAT_Request_parts",
                      [&](Session&, Locked&, Call& call) { pat::detail::set_parts(call, parts); });
}

int PAT_Start(PAT_Request request) {
  return with_request(request, "PAT_Start", pat::detail::start_request);
}

int PAT_Pready(PAT_Request request, int part) {
  return with_request(request, "PAT_Pready", [&](Session& session, Locked& locked, Call& call) {
    pat::detail::hand_over_part(session, locked, call, part);
  });
}

int PAT_Ready(PAT_Request request) {
  const std::int64_t arrival_ns = pat::now_ns();
  return with_request(request, "PAT_Ready", [&](Session& session, Locked& locked, Call& call) {
    pat::detail::make_ready(session, locked, call, arrival_ns);
  });
}

int PAT_Test(PAT_Request request, int* flag) {
  return with_request(request, "PAT_Test", [&](Session& session, Locked& locked, Call& call) {
    pat::detail::require(flag, "PAT_Test", "flag");
    *flag = pat::detail::test(session, locked, request, call, "PAT_Test");
  });
}

int PAT_Wait(PAT_Request request) {
  return with_request(request, "PAT_Wait", [&](Session& session, Locked& locked, Call& call) {
    pat::detail::wait(session, locked, request, call, "PAT_Wait");
  });
}

int PAT_Testall(int count, PAT_Request requests[], int* flag) {
  return with_requests("PAT_Testall", count, requests,
                       [&](Session& session, Locked& locked, const RequestArray& all) {
                         pat::detail::require(flag, "PAT_Testall", "flag");
                         all.check_all(session, locked, false);
                         pat::detail::check(session.failure);
                         session.rounds.progress(locked, pat::detail::By::caller);
                         *flag = all.all_over(session, locked);
                         for (int i = 0; *flag && i < all.count(); ++i)
                           all.test_one(session, locked, i);
                       });
}

int PAT_Waitall(int count, PAT_Request requests[]) {
  return with_requests("PAT_Waitall", count, requests,
                       [&](Session& session, Locked& locked, const RequestArray& all) {
                         all.check_all(session, locked, true);
                         std::exception_ptr first;
                         for (int i = 0; i < all.count(); ++i) try {
                             all.wait_one(session, locked, i);
                           } catch (...) {
                             if (!first) first = std::current_exception();
                           }
                         if (first) std::rethrow_exception(first);
                       });
}

int PAT_Testany(int count, PAT_Request requests[], int* index, int* flag) {
  return with_requests("PAT_Testany", count, requests,
                       [&](Session& session, Locked& locked, const RequestArray& all) {
                         pat::detail::require(index, "PAT_Testany", "index");
                         pat::detail::require(flag, "PAT_Testany", "flag");
                         all.check_all(session, locked, false);
                         const auto over = all.any_over(session, locked);
                         *flag = over.has_value();
                         *index = over.value_or(MPI_UNDEFINED);
                       });
}

int PAT_Waitany(int count, PAT_Request requests[], int* index) {
  return with_requests("PAT_Waitany", count, requests,
                       [&](Session& session, Locked& locked, const RequestArray& all) {
                         pat::detail::require(index, "PAT_Waitany", "index");
                         all.check_all(session, locked, true);
                         for (int attempt = 0;; ++attempt) {
                           if (const auto over = all.any_over(session, locked)) {
                             *index = *over;
                             return;
                           }
                           locked.without([&] { pat::detail::pause(attempt); });
                           session.rounds.progress(locked, pat::detail::By::caller);
                           pat::detail::check(session.failure);
                         }
                       });
}

int PAT_Request_free(PAT_Request* request) {
  const PAT_Request handle = request != nullptr ? *request : PAT_REQUEST_NULL;
  return with_request(handle, "PAT_Request_free",
                      [&](Session& session, Locked& locked, Call& call) {
                        pat::detail::require_idle(call, "PAT_Request_free");
                        session.requests.release(locked, handle);
                        *request = PAT_REQUEST_NULL;
                      });
}

}  // extern "C"
