#pragma once

#include <CLI/CLI.hpp>

namespace pat {

/// pat trace join: the trace of a run that was interrupted, from what its processes left.
void add_trace_join(CLI::App& trace);

}  // namespace pat
