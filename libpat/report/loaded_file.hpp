#pragma once

#include <cstdint>
#include <string>

namespace pat::detail {

/// The program or library that is loaded around an address.
struct LoadedFile {
  std::string path;         ///< empty: nothing is known to be loaded there
  std::uintptr_t base = 0;  ///< where its first byte is
  bool is_program = false;  ///< not a library
  std::string name() const { return path.substr(path.rfind('/') + 1); }
};

/// Microseconds where dladdr, which looks for a symbol too, takes a tenth of a millisecond in
/// libraries with many. Thread-safe.
LoadedFile file_loaded_at(const void* address);

/// How many files were loaded and unloaded until now: where it is as it was, so are they.
std::uint64_t loads_and_unloads();

}  // namespace pat::detail
