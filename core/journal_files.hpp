#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pat {

/// The file beside the trace or report `base` that one process keeps its journal in.
std::string journal_path(const std::string& base, int rank);

/// The journals that lie there, of whatever processes, in no order. Empty if the folder cannot be
/// read.
std::vector<std::filesystem::path> journals_beside(const std::filesystem::path& base);

}  // namespace pat
