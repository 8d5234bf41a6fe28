#include "libpat/session/background.hpp"

#include <pthread.h>
#include <sched.h>
#include <spdlog/spdlog.h>

#include <chrono>

#include "core/clock.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0)
    spdlog::warn("the daemon cannot be pinned to core {}, it stays free; check PAT_DAEMON_CORE",
                 core);
}

}  // namespace

Background::Background(Round round, OnFailure on_failure, int core)
    : round_(std::move(round)),
      on_failure_(std::move(on_failure)),
      thread_([this, core] { run(core); }) {}

void Background::stop() {
  if (!thread_.joinable()) return;
  stop_ = true;
  {
    const std::lock_guard lock(sleep_mutex_);
    woken_ = true;
  }
  sleep_condition_.notify_one();
  thread_.join();
}

void Background::wake() {
  called_ = true;  // before the look at long_sleep_, which sleep() sets before it looks at this
  if (!long_sleep_) return;
  {
    const std::lock_guard lock(sleep_mutex_);
    woken_ = true;
  }
  sleep_condition_.notify_one();
}

/// Nobody wakes it in the first `deaf_ns`, but stop().
void Background::sleep(std::int64_t ns, std::int64_t deaf_ns, bool resting) {
  std::unique_lock lock(sleep_mutex_);
  const auto wait_for = [&](std::int64_t pause_ns) {
    sleep_condition_.wait_for(lock, std::chrono::nanoseconds(pause_ns), [this] { return woken_; });
  };
  if (deaf_ns > 0) wait_for(deaf_ns);
  long_sleep_ = resting || ns > 2 * pace::busy_pause_ns;
  if (!(resting && called_)) wait_for(ns - deaf_ns);
  woken_ = false;
  long_sleep_ = false;
}

bool Background::try_round(pace::Round& found) {
  try {
    found = round_();
    return true;
  } catch (const MpiFailure& failure) {
    on_failure_(failure.code());
  } catch (const std::exception& error) {
    spdlog::error("the daemon stops: {}", error.what());
    on_failure_(MPI_ERR_INTERN);
  }
  return false;
}

void Background::run(int core) {
  pthread_setname_np(pthread_self(), "pat-daemon");
  if (core >= 0) pin(core);
  std::int64_t cpu_before = thread_cpu_ns();
  pace::Pace spacing(now_ns());
  while (!stop_) {
    pace::Round found;
    called_ = false;
    if (!try_round(found)) return;
    const std::int64_t cpu = thread_cpu_ns(), cost = cpu - cpu_before;
    cpu_before = cpu;
    cpu_ns_ += cost;
    if (found.moving) moving_cpu_ns_ += cost;
    const std::int64_t pause_ns = spacing.pause_ns(found, now_ns(), cost);
    const bool resting = found.resting || found.idle;
    sleep(pause_ns, resting ? spacing.debt_ns() : 0, resting);
  }
  cpu_ns_ += thread_cpu_ns() - cpu_before;
}

}  // namespace pat::detail
