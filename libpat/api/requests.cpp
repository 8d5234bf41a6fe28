// PAT_Start to PAT_Request_free: the C functions of persistent gathers and scatters.

#include "core/errors.hpp"
#include "libpat/session/collective.hpp"
#include "libpat/session/runtime.hpp"
#include "pat/pat.h"

namespace pat {
namespace {

/// Whose error handler a mistake with this request goes to; null where there is none of its own.
MPI_Comm communicator_of(PAT_Request handle) {
  Runtime* runtime = Runtime::instance().get();
  return runtime != nullptr ? runtime->user_communicator(handle) : MPI_COMM_NULL;
}

template <class Body>
int with_request(PAT_Request handle, const char* function, Body&& body) {
  return with_error_handler(communicator_of(handle), [&] {
    Runtime& runtime = Runtime::get(function);
    body(runtime, runtime.request(handle, function));
    return MPI_SUCCESS;
  });
}

template <class Pointer>
void require(Pointer place, const char* function, const char* name) {
  if (place == nullptr)
    throw Error(ErrorKind::argument,
                std::string(function) + ": " + name + " is a null pointer, give a place for it");
}

}  // namespace
}  // namespace pat

using pat::Request;
using pat::Runtime;
using pat::with_request;

extern "C" {

int PAT_Request_parts(PAT_Request request, int parts) {
  return with_request(request, "PAT_Request_parts", [&](Runtime& runtime, Request& r) {
    runtime.set_parts(r, parts, "PAT_Request_parts");
  });
}

int PAT_Start(PAT_Request request) {
  return with_request(request, "PAT_Start",
                      [](Runtime& runtime, Request& r) { runtime.start_request(r, "PAT_Start"); });
}

int PAT_Pready(PAT_Request request, int part) {
  return with_request(request, "PAT_Pready", [&](Runtime& runtime, Request& r) {
    runtime.hand_over_part(r, part, "PAT_Pready");
  });
}

int PAT_Ready(PAT_Request request) {
  return with_request(request, "PAT_Ready",
                      [](Runtime& runtime, Request& r) { runtime.ready_request(r, "PAT_Ready"); });
}

int PAT_Test(PAT_Request request, int* flag) {
  return with_request(request, "PAT_Test", [&](Runtime& runtime, Request& r) {
    pat::require(flag, "PAT_Test", "flag");
    *flag = runtime.test_request(r, "PAT_Test");
  });
}

int PAT_Wait(PAT_Request request) {
  return with_request(request, "PAT_Wait", [](Runtime& runtime, Request& r) {
    runtime.wait_for_request(r, "PAT_Wait");
  });
}

int PAT_Request_free(PAT_Request* request) {
  return with_request(request != nullptr ? *request : PAT_REQUEST_NULL, "PAT_Request_free",
                      [&](Runtime& runtime, Request& r) {
                        runtime.free_request(r, "PAT_Request_free");
                        *request = PAT_REQUEST_NULL;
                      });
}

}  // extern "C"
