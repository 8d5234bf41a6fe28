#pragma once

#include <CLI/CLI.hpp>

namespace pat {

/// pat trace export.
void add_trace_export(CLI::App& trace);

}  // namespace pat
