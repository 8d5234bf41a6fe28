#include "libpat/session/watchdog.hpp"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <string>

#include "collectives/operation_row.hpp"
#include "core/clock.hpp"

namespace pat::detail {

Watchdog::Watchdog(double limit_s, int rank)
    : limit_s_(limit_s), rank_(rank), thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  condition_.notify_one();
  thread_.join();
}

std::optional<Watchdog::Present> Watchdog::present() {
  const std::lock_guard lock(mutex_);
  if (watches_.empty()) return std::nullopt;
  return Present{watches_.front()->arguments_.function, watches_.front()->start_ns_};
}

Watchdog::Watch::Watch(std::shared_ptr<Watchdog> watchdog, const Arguments& arguments, Says says)
    : watchdog_(std::move(watchdog)), arguments_(arguments) {
  if (watchdog_ == nullptr) return;
  start_ns_ = now_ns();
  if (says == Says::its_state) patience_ = Patience(watchdog_->limit_s_);
  const std::lock_guard lock(watchdog_->mutex_);
  watchdog_->watches_.push_back(this);
}

Watchdog::Watch::~Watch() {
  if (watchdog_ == nullptr) return;
  const std::lock_guard lock(watchdog_->mutex_);
  watchdog_->watches_.remove(this);
}

void Watchdog::run() {
  pthread_setname_np(pthread_self(), "pat-watchdog");
  std::unique_lock lock(mutex_);
  if (limit_s_ <= 0.0) return condition_.wait(lock, [this] { return stop_; });
  const auto pause = std::chrono::duration<double>(limit_s_ / 4.0);
  while (!condition_.wait_for(lock, pause, [this] { return stop_; })) {
    const std::int64_t now = now_ns();
    for (Watch* watch : watches_) {
      const double waited_s = static_cast<double>(now - watch->start_ns_) * 1e-9;
      if (!watch->patience_.ends(waited_s)) continue;
      const Arguments& call = watch->arguments_;
      spdlog::critical(
          "{} on rank {} has waited {:.1f} s: in the MPI library{}", call.function, rank_, waited_s,
          row(call.operation).rooted ? ", with root " + std::to_string(call.root) : "");
    }
  }
}

}  // namespace pat::detail
