#pragma once

#include "core/config.hpp"

namespace pat::detail {

class Session;

/// Throws Error(config) if the trace or the report could not be written where the settings say.
void check_outputs(const Config& config);

/// Collective over the session: rank 0 writes the arrival trace to PAT_TRACE (every call on the
/// session's communicator is one iteration) and the report to PAT_REPORT, where these are set. The
/// report says what was called, which algorithm and why, imbalance, prediction errors, time waited.
void write_trace_and_report(Session& session);

}  // namespace pat::detail
