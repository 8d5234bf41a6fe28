#pragma once

#include <unistd.h>

#include <cstdint>

namespace pat::detail {

/// The kernel's number for this thread, which no other thread of the machine has; the system is
/// asked once a thread.
inline std::int32_t thread_id() {
  // Initial-exec: found by one load, where a shared library's threads' variables cost a call.
  [[gnu::tls_model("initial-exec")]] thread_local std::int32_t own = 0;
  if (own == 0) own = static_cast<std::int32_t>(gettid());
  return own;
}

}  // namespace pat::detail
