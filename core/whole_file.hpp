#pragma once

#include <string>

namespace pat {

/// Puts `text` at `path` whole or not at all: it is written beside it and then renamed. Throws
/// Error(io) that names the path.
void write_whole_file(const std::string& path, const std::string& text);

}  // namespace pat
