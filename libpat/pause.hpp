#pragma once

#include <sched.h>
#include <time.h>

#include <algorithm>

namespace pat {

/// Longer and longer, so that a wait of microseconds ends at once and a long one costs no core.
inline void pause(int attempt) {
  if (attempt < 64) {
    sched_yield();
    return;
  }
  const timespec nap{0, std::min(200'000L, 5'000L * (attempt - 60))};
  nanosleep(&nap, nullptr);
}

}  // namespace pat
