#include "libpat/session/daemon.hpp"

#include <pthread.h>
#include <sched.h>
#include <spdlog/spdlog.h>
#include <time.h>

#include <chrono>

#include "core/clock.hpp"
#include "libpat/agreement/pace.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/session/runtime.hpp"
#include "libpat/session/settled.hpp"

namespace pat {
namespace {

std::int64_t thread_cpu_ns() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0)
    spdlog::warn("the daemon cannot be pinned to core {}, it stays free; check PAT_DAEMON_CORE",
                 core);
}

}  // namespace

Daemon::Daemon(Runtime& runtime, int core)
    : runtime_(runtime), thread_([this, core] { run(core); }) {}

void Daemon::stop() {
  if (!thread_.joinable()) return;
  stop_ = true;
  {
    const std::lock_guard lock(sleep_mutex_);
    woken_ = true;
  }
  sleep_condition_.notify_one();
  thread_.join();
}

void Daemon::wake() {
  if (!long_sleep_.load(std::memory_order_relaxed)) return;
  {
    const std::lock_guard lock(sleep_mutex_);
    woken_ = true;
  }
  sleep_condition_.notify_one();
}

void Daemon::sleep(std::int64_t ns) {
  std::unique_lock lock(sleep_mutex_);
  long_sleep_ = ns > 2 * pace::busy_pause_ns;
  sleep_condition_.wait_for(lock, std::chrono::nanoseconds(ns), [this] { return woken_; });
  woken_ = false;
  long_sleep_ = false;
}

void Daemon::fail(int code) {
  runtime_.failure = code;
  drop_settled();
}

void Daemon::run(int core) {
  pthread_setname_np(pthread_self(), "pat-daemon");
  if (core >= 0) pin(core);
  std::int64_t cpu_before = thread_cpu_ns();
  pace::Pace spacing(now_ns());
  while (!stop_) {
    Runtime::Progress progress;
    try {
      const std::lock_guard lock(runtime_.mutex);
      progress = runtime_.progress();
      if (progress.resting) long_sleep_ = true;  // a wake() from here on must not be lost
    } catch (const MpiFailure& failure) {
      fail(failure.code());
      return;
    } catch (const std::exception& error) {
      spdlog::error("the daemon stops: {}", error.what());
      fail(MPI_ERR_INTERN);
      return;
    }
    const std::int64_t cpu = thread_cpu_ns(), cost = cpu - cpu_before;
    cpu_before = cpu;
    cpu_ns_ += cost;
    if (progress.moving) moving_cpu_ns_ += cost;
    sleep(spacing.pause_ns(progress, now_ns(), cost));
  }
  cpu_ns_ += thread_cpu_ns() - cpu_before;
}

}  // namespace pat
