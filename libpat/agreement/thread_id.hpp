#pragma once

#include <unistd.h>

#include <atomic>
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

/// A number for this thread that takes less room: from 1 on, of the 65,535 threads that asked last
/// each has its own.
inline std::uint16_t thread_number() {
  static std::atomic<std::uint32_t> numbers{0};
  [[gnu::tls_model("initial-exec")]] thread_local std::uint16_t own = 0;
  if (own == 0) own = static_cast<std::uint16_t>(1 + numbers++ % 65535);
  return own;
}

}  // namespace pat::detail
