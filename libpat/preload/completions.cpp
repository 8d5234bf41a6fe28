// What ends, starts, cancels and frees requests, of which some may be PAT's. Where none of PAT's is
// on its way, these are MPI's own functions, whose waits are no computing.

#include <mpi.h>

#include "core/clock.hpp"
#include "libpat/execution/given.hpp"
#include "libpat/mpi/thread.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/preload/requests.hpp"
#include "libpat/preload/watch.hpp"

using pat::detail::Behind;
using pat::detail::end_requests;
using pat::detail::free_request;
using pat::detail::is_own;
using pat::detail::is_under_way;
using pat::detail::note_wait;
using pat::detail::requests_of_pat;
using pat::detail::start_requests;
using pat::detail::Until;
using pat::detail::WaitingCall;
using pat::detail::WaitsFor;

namespace {

bool has_requests() {
  return requests_of_pat.load(std::memory_order_relaxed) != 0;
}

int first_error(int code, int other) {
  return code != MPI_SUCCESS ? code : other;
}

/// MPI's look at the requests, `done`, again and again until it has found something; between two
/// looks PAT's requests are looked at. For waits, which MPI cannot do while PAT's are under way.
template <class Look>
int wait_for_some(int count, const MPI_Request requests[], const Look& look) {
  int code = MPI_SUCCESS;
  note_wait(count, requests, pat::now_ns());
  for (int attempt = 0;; ++attempt) {
    code = first_error(code, end_requests(count, requests, Until::now));
    bool done = false;
    const int told = look(done);
    if (told != MPI_SUCCESS || done) {
      note_wait(count, requests, 0);
      return first_error(told, code);
    }
    pat::detail::pause(attempt);
  }
}

int wait_any(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  return wait_for_some(count, requests, [&](bool& done) {
    int flag = 0;
    const int code = PMPI_Testany(count, requests, index, &flag, status);
    done = flag != 0;
    return code;
  });
}

int wait_some(int count, MPI_Request requests[], int* ended, int indices[], MPI_Status statuses[]) {
  return wait_for_some(count, requests, [&](bool& done) {
    const int code = PMPI_Testsome(count, requests, ended, indices, statuses);
    done = *ended != 0;
    return code;
  });
}

/// A collective that is on its way is neither cancelled nor freed. MPI says so; of PAT's it would
/// see but the receive that stands for it.
int refuse_if_under_way(const MPI_Request* request) {
  if (!has_requests() || request == nullptr) return MPI_SUCCESS;
  const int code = end_requests(1, request, Until::now);
  if (code != MPI_SUCCESS || !is_under_way(*request)) return code;
  PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_REQUEST);
  return MPI_ERR_REQUEST;
}

int start(int code, int count, const MPI_Request requests[]) {
  return code != MPI_SUCCESS ? code : start_requests(count, requests);
}

}  // namespace

/// MPI_X is another tool's if there is one, which comes to PMPI_X in the end. `body` may use
/// `behind`.
#define PAT_REQUEST_FUNCTION(Name, parameters, arguments, body)                      \
  int MPI_##Name parameters {                                                        \
    static const Behind<decltype(&PMPI_##Name)> behind("MPI_" #Name, "PMPI_" #Name); \
    if (behind.tool != nullptr) return behind.tool arguments;                        \
    const WaitingCall waiting(WaitsFor::message, "MPI_" #Name);                      \
    body;                                                                            \
  }                                                                                  \
  int PMPI_##Name parameters {                                                       \
    static const Behind<decltype(&PMPI_##Name)> behind("MPI_" #Name, "PMPI_" #Name); \
    if (is_own(__builtin_return_address(0))) return behind.library arguments;        \
    const WaitingCall waiting(WaitsFor::message, "MPI_" #Name);                      \
    body;                                                                            \
  }

#define PAT_ENDING(Name, until, count, requests, parameters, arguments)               \
  PAT_REQUEST_FUNCTION(Name, parameters, arguments,                                   \
                       if (!has_requests()) return behind.library arguments;          \
                       const int ended = end_requests(count, requests, Until::until); \
                       return first_error(behind.library arguments, ended))

extern "C" {

#include "libpat/preload/completions.def"

PAT_REQUEST_FUNCTION(Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status),
                     (count, requests, index, status),
                     return has_requests() ? wait_any(count, requests, index, status)
                                           : behind.library(count, requests, index, status))

PAT_REQUEST_FUNCTION(
    Waitsome, (int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]),
    (count, requests, done, indices, statuses),
    return has_requests() ? wait_some(count, requests, done, indices, statuses)
                          : behind.library(count, requests, done, indices, statuses))

PAT_REQUEST_FUNCTION(Start, (MPI_Request * request), (request),
                     return start(behind.library(request), 1, request))

PAT_REQUEST_FUNCTION(Startall, (int count, MPI_Request requests[]), (count, requests),
                     return start(behind.library(count, requests), count, requests))

PAT_REQUEST_FUNCTION(Cancel, (MPI_Request * request), (request),
                     const int refused = refuse_if_under_way(request);
                     return refused != MPI_SUCCESS ? refused : behind.library(request))

PAT_REQUEST_FUNCTION(Request_free, (MPI_Request * request), (request),
                     const int refused = refuse_if_under_way(request);
                     if (refused != MPI_SUCCESS) return refused;
                     if (request != nullptr) free_request(*request); return behind.library(request))

}  // extern "C"
