#pragma once

#include <mpi.h>

#include "libpat/session/requests.hpp"
#include "libpat/session/settled.hpp"

namespace pat::detail {

// One call of any operation, in its three forms. All return or throw as MPI's error classes say;
// arguments are checked before anything is sent.

/// Makes the call and waits for its end. Returns an MPI error code: errors of MPI's own collective
/// as such, which have been through the error handler.
int call(const Arguments& arguments);

/// Makes a call that is settled: nothing is to be checked or agreed, only counted later.
int call_settled(const Arguments& arguments, Settled& settled);

/// The persistent form: nothing is sent yet, and the algorithm that is chosen now holds for all its
/// starts. Collective.
Requests::Handle make_request(const Arguments& arguments);

/// The non-blocking form: the process arrives now.
Requests::Handle start(const Arguments& arguments);

/// Whether a request's call must be decided, and is not the library's by its arguments alone, which
/// are equal on all ranks. False also for what is wrong with them, and on a communicator beside
/// which PAT has no messages yet: the next plain call on it makes the private one. Local.
bool needs_decision(const Arguments& arguments, Form form);

}  // namespace pat::detail
