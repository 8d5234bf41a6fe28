#pragma once

#include "core/trace.hpp"
#include "libpat/session/snapshot.hpp"

namespace pat::detail {

/// Arrivals, computing times and hints of every call on the session's communicator, at rank 0;
/// empty elsewhere, and if the user has freed the communicator. Collective over the session. Throws
/// MpiFailure.
Trace gather_trace(const Snapshot& now);

}  // namespace pat::detail
