#pragma once

namespace pat {

class Runtime;

/// Collective over the session: rank 0 writes the arrival trace to PAT_TRACE (every call on the
/// session's communicator is one iteration) and the report to PAT_REPORT, where these are set. The
/// report says what was called, which algorithm and why, imbalance, prediction errors, time waited.
void write_trace_and_report(Runtime& runtime);

}  // namespace pat
