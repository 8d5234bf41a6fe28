#include "libpat/daemon.hpp"

#include <pthread.h>
#include <sched.h>
#include <spdlog/spdlog.h>
#include <time.h>

#include <algorithm>
#include <chrono>

#include "core/clock.hpp"
#include "libpat/mpi_check.hpp"
#include "libpat/pace.hpp"
#include "libpat/runtime.hpp"
#include "libpat/settled.hpp"

namespace pat {
namespace {

constexpr double share = 0.004;  // of one core, for polling
constexpr std::int64_t us = 1000, ms = 1'000'000;
constexpr std::int64_t shortest_pause = 100 * us;
constexpr std::int64_t longest_pause = 20 * ms;
constexpr std::int64_t rest = 200 * ms;
constexpr std::int64_t most_saved = 200 * us;  // CPU time that quiet spells may save up for bursts

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
  long_sleep_ = ns > 2 * ms;
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
  std::int64_t wall_before = now_ns(), cpu_before = thread_cpu_ns(), saved = most_saved;
  std::int64_t quiet_pause = pace::busy_pause_ns;
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
    const std::int64_t wall = now_ns(), cpu = thread_cpu_ns();
    const std::int64_t cost = cpu - cpu_before;
    cpu_ns_ += cost;
    if (progress.moving) {
      moving_cpu_ns_ += cost;
      saved = std::min(most_saved, saved);
    } else {
      const auto earned =
          static_cast<std::int64_t>(share * static_cast<double>(wall - wall_before));
      saved = std::min(most_saved, saved + earned - cost);
    }
    wall_before = wall;
    cpu_before = cpu;

    std::int64_t pause = longest_pause;
    if (progress.moving) {
      pause = pace::moving_pause_ns;
    } else if (progress.computing || progress.messages) {
      quiet_pause = pause = pace::busy_pause_ns;
    } else {
      quiet_pause = pause = std::min(longest_pause, quiet_pause + quiet_pause / 2);
    }
    if (progress.urgent_ns != 0)
      pause = std::clamp(progress.urgent_ns - wall, shortest_pause, pause);
    if (!progress.moving && saved < 0)  // over budget: sleep until it is earned again
      pause = std::max(pause, static_cast<std::int64_t>(static_cast<double>(-saved) / share));
    if (progress.resting)
      sleep(progress.leading ? longest_pause : rest);
    else
      sleep(std::min(pause, longest_pause));
  }
  cpu_ns_ += thread_cpu_ns() - cpu_before;
}

}  // namespace pat
