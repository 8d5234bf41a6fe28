#pragma once

#include "core/live_state.hpp"

namespace pat::detail {

class Locked;
class Session;

/// How this process stands, as far as it knows without a word to others. Calls no MPI. Job, host
/// and pid are the caller's to fill in.
LiveState live_state(Locked&, Session& session);

}  // namespace pat::detail
