#pragma once

#include <cstdint>
#include <string>

namespace pat::detail {

/// The program or library that is loaded around an address.
struct LoadedFile {
  std::string path;         ///< empty: nothing is known to be loaded there
  std::uintptr_t base = 0;  ///< where its first byte is
  std::string name() const { return path.substr(path.rfind('/') + 1); }
};

/// Microseconds where dladdr, which looks for a symbol too, takes a tenth of a millisecond in
/// libraries with many. Thread-safe.
LoadedFile file_loaded_at(const void* address);

}  // namespace pat::detail
