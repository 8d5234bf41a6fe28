#pragma once

#include <string>

namespace pat {

/// Puts `text` at `path` whole or not at all: it is written beside it and then renamed. A link stays
/// one, the file that it names is written. Throws Error(io) that names the path, also for what is
/// no regular file: a device or a pipe must not be replaced by one.
void write_whole_file(const std::string& path, const std::string& text);

/// Where write_whole_file() would put the file: `path`, links followed. Throws Error(io) if that is
/// no regular file.
std::string whole_file_place(const std::string& path);

}  // namespace pat
