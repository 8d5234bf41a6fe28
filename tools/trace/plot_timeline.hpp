#pragma once

#include <string>

#include "core/trace.hpp"

namespace pat {

/// Draws `calls` iterations from `first` on, one row a rank: computing, waiting for the last, and
/// transfer; above each call what it was done with. Throws Error(argument) if the trace has no
/// iteration `first`, Error(io) if it cannot be drawn.
void plot_timeline(const Trace& trace, int first, int calls, const std::string& title,
                   const std::string& path);

}  // namespace pat
