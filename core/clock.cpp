#include "core/clock.hpp"

#include <papi.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

namespace pat {
namespace {

std::int64_t read_ns(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::int64_t monotonic_ns() {
  return read_ns(CLOCK_MONOTONIC);
}

bool papi_ready() {
  static const bool ready = [] {
    if (PAPI_is_initialized() == PAPI_NOT_INITED &&
        PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
      return false;
    PAPI_thread_init([] { return static_cast<unsigned long>(pthread_self()); });
    return true;
  }();
  return ready;
}

template <class Read>
double median_cost_ns(Read read) {
  std::array<double, 31> costs;
  for (double& cost : costs) {
    constexpr int calls = 32;
    const std::int64_t before = monotonic_ns();
    for (int i = 0; i < calls; ++i) read();
    cost = static_cast<double>(monotonic_ns() - before) / calls;
  }
  std::nth_element(costs.begin(), costs.begin() + costs.size() / 2, costs.end());
  return costs[costs.size() / 2];
}

ClockInfo measure() {
  ClockInfo info{"clock_gettime", papi_ready(), 0.0, median_cost_ns(monotonic_ns), 1.0, 0, ""};
  if (!info.papi_available) return info;
  info.papi_version = std::to_string(PAPI_VERSION_MAJOR(PAPI_VERSION)) + "." +
                      std::to_string(PAPI_VERSION_MINOR(PAPI_VERSION)) + "." +
                      std::to_string(PAPI_VERSION_REVISION(PAPI_VERSION));
  info.hardware_counters = std::max(0, PAPI_num_cmp_hwctrs(0));
  const long long papi_before = PAPI_get_real_nsec();
  const std::int64_t mono_before = monotonic_ns();
  info.papi_cost_ns = median_cost_ns([] { return PAPI_get_real_nsec(); });
  while (monotonic_ns() - mono_before < 1'000'000) {
  }
  const auto papi_elapsed = static_cast<double>(PAPI_get_real_nsec() - papi_before);
  info.papi_rate = papi_elapsed / static_cast<double>(monotonic_ns() - mono_before);
  if (info.papi_cost_ns < info.monotonic_cost_ns) info.source = "papi";
  return info;
}

}  // namespace

const ClockInfo& clock_info() {
  static const ClockInfo info = measure();
  return info;
}

[[gnu::hot]] std::int64_t now_ns() {
  static const bool use_papi = clock_info().source == "papi";
  return use_papi ? PAPI_get_real_nsec() : monotonic_ns();
}

std::int64_t thread_cpu_ns() {
  return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

HardwareCounters::HardwareCounters() {
  // Some machines say that they have counters and refuse each; asking takes 50 us.
  static std::atomic<bool> refused{false};
  if (refused.load(std::memory_order_relaxed) || clock_info().hardware_counters < 2) return;
  int set = PAPI_NULL;
  if (PAPI_create_eventset(&set) != PAPI_OK) return;
  if (PAPI_add_event(set, PAPI_TOT_INS) != PAPI_OK ||
      PAPI_add_event(set, PAPI_TOT_CYC) != PAPI_OK) {
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
    refused.store(true, std::memory_order_relaxed);
    return;
  }
  event_set_ = set;
}

HardwareCounters::~HardwareCounters() {
  if (!available()) return;
  if (running_) PAPI_stop(event_set_, values_);
  PAPI_cleanup_eventset(event_set_);
  PAPI_destroy_eventset(&event_set_);
}

void HardwareCounters::start() {
  if (available()) running_ = PAPI_start(event_set_) == PAPI_OK;
}

void HardwareCounters::stop() {
  if (running_) PAPI_stop(event_set_, values_);
  running_ = false;
}

}  // namespace pat
