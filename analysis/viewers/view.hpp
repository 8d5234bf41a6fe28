#pragma once

#include <functional>
#include <string>

#include "core/trace.hpp"

namespace pat {

/// How a trace becomes a file for a viewer.
struct ViewOptions {
  std::string predictor;  ///< the model whose forecasts are replayed beside the arrivals
  std::function<void(long)> progress = [](long) {};  ///< told of iterations written
};

/// Whether the ending of the path names a viewer's format: .pftrace, .csv, .talp.json or .otf2.
bool is_view(const std::string& path);
/// The endings, for sentences.
std::string view_endings();
/// Throws Error(argument) if the ending is none of these, Error(config) for .otf2 where PAT was
/// built without its library, Error(io) if the file cannot be put there.
void check_view(const std::string& path);
/// Writes the trace as the ending of the path says. Files appear when they are whole, and replace
/// older ones. Throws as check_view(), and Error(io) if it cannot be written.
void write_view(const Trace& trace, const std::string& path, const ViewOptions& options);
/// As write_view() where the ending of the path names a viewer's format, else as write_trace().
void write_trace_or_view(const Trace& trace, const std::string& path, const ViewOptions& options);

}  // namespace pat
