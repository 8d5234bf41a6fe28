#pragma once

// The clock by which recorded programs are played, and sleeping by it.

#include <cerrno>
#include <ctime>

namespace pat::bench {

inline double monotonic_s() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline void sleep_until(double until_s) {
  timespec t;
  t.tv_sec = static_cast<time_t>(until_s);
  t.tv_nsec = static_cast<long>((until_s - static_cast<double>(t.tv_sec)) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) continue;
}

}  // namespace pat::bench
