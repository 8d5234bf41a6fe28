#pragma once

#include <mpi.h>

#include <functional>
#include <optional>

#include "libpat/execution/schedule_run.hpp"
#include "libpat/session/runtime.hpp"
#include "libpat/session/settled.hpp"

namespace pat {

/// One collective call as the generic part sees it.
struct CollectiveCall {
  const char* function;               ///< "PAT_Gather", for messages
  CallSignature signature;            ///< equal on all ranks
  std::size_t total_bytes;            ///< what auto compares with PAT_MIN_BYTES; not for v-forms
  std::vector<std::size_t> counts;    ///< v-forms: bytes per rank; a leaf knows its own only
  std::function<UserBuffers()> bind;  ///< the user's buffers, asked for when a schedule runs
  std::function<int()> library;       ///< the MPI library's own collective, waited for
  std::optional<CallArguments> arguments = {};  ///< by which equal calls may be settled
  std::array<MPI_Datatype, 2> types = {};       ///< of these, those that matter here; else null
};

/// A call that goes to the MPI library whatever is chosen.
inline CollectiveCall library_call(const char* function, std::function<int()> library) {
  return {.function = function,
          .signature = {},
          .total_bytes = 0,
          .counts = {},
          .bind = nullptr,
          .library = std::move(library)};
}

/// Runs the call: finds stream and decision, hands over what the daemon has begun, or leaves it to
/// the MPI library. Returns an MPI error code; errors of MPI are returned as such.
int run_collective(MPI_Comm comm, const CollectiveCall& call);

/// The persistent form of the call: nothing is sent yet, and the algorithm that is chosen now holds
/// for all its starts. Collective. `setup` says what the call's `bind` and `library` say for a
/// plain call.
Request& make_request(MPI_Comm comm, const CollectiveCall& call, RequestSetup setup);

/// Calls `body` and reports an error to the error handler of `comm`, as MPI's functions do.
int with_error_handler(MPI_Comm comm, const std::function<int()>& body);

}  // namespace pat
