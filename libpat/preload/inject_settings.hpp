#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "measure/delays.hpp"

namespace pat::detail {

/// What PAT_INJECT and PAT_INJECT_* ask for. No MPI.
struct InjectSettings {
  std::string pattern;
  std::string function;  ///< before this one only; empty: before all
  std::uint64_t seed = 1, every = 1;
  std::optional<std::int64_t> least, most;  ///< bytes

  /// Whether a call is one of those. `bytes`: of a block; -1: not the same on all processes.
  bool want(const char* called, std::int64_t bytes) const;
  /// On a communicator of so many processes. Throws Error if the pattern does not fit it.
  std::unique_ptr<measure::Delays> delays(int ranks) const;
};

/// From the environment (through `read_environment`, usually getenv); nothing: PAT_INJECT is not
/// set. Throws Error with a sentence for what cannot be used in a program of so many processes.
std::optional<InjectSettings> read_inject_settings(
    const std::function<std::optional<std::string>(const std::string&)>& read_environment,
    int ranks);

}  // namespace pat::detail
