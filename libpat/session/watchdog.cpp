#include "libpat/session/watchdog.hpp"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "collectives/operation_row.hpp"
#include "core/clock.hpp"
#include "libpat/agreement/thread_id.hpp"

namespace pat::detail {

Watchdog::Watchdog(double limit_s, int rank) : limit_s_(limit_s), rank_(rank) {
  watches_.reserve(8);  // calls ask for no memory
  made_.reserve(most_made);
  if (limit_s_ > 0.0) thread_ = std::thread([this] { run(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  condition_.notify_one();
  if (thread_.joinable()) thread_.join();
}

std::optional<Watchdog::Present> Watchdog::present() {
  const std::lock_guard lock(mutex_);
  if (watches_.empty()) return std::nullopt;
  const Watch& first = *watches_.front();
  const CallPlace& place = first.place_;
  Present present{first.arguments_.function, first.start_ns_,    first.arguments_.site,
                  first.arguments_.op,       place.communicator, place.series};
  if (place.entered != nullptr) present.number = first.number_;
  if (place.signature != nullptr) present.signature = *place.signature;
  return present;
}

std::optional<Watchdog::Left> Watchdog::left() {
  const std::lock_guard lock(mutex_);
  if (left_function_ == nullptr) return std::nullopt;
  return Left{left_function_, left_ns_, left_site_, left_by_};
}

void Watchdog::remember(const Watch& over) {
  const Arguments& call = over.arguments_;
  const CallPlace& place = over.place_;
  if (!place.communicator) return;
  const auto is_signature = [&](const std::optional<CallSignature>& one) {
    return place.signature != nullptr ? one == *place.signature : !one.has_value();
  };
  if (next_made_ > 0) {
    Made& latest = made_[(next_made_ - 1) % most_made];
    if (latest.last + 1 == over.number_ && latest.communicator == *place.communicator &&
        latest.function == call.function && latest.site == call.site && latest.op == call.op &&
        latest.series == place.series && is_signature(latest.signature)) {
      ++latest.last;
      return;
    }
  }
  if (made_.size() < most_made) made_.emplace_back();
  Made& made = made_[next_made_++ % most_made];
  made = {call.function, call.site, call.op, *place.communicator, place.series};
  if (place.signature != nullptr) made.signature = *place.signature;
  made.first = made.last = over.number_;
}

std::vector<Watchdog::Made> Watchdog::made() {
  const std::lock_guard lock(mutex_);
  std::vector<Made> all = made_;
  if (next_made_ > most_made)
    std::ranges::rotate(all, all.begin() + static_cast<std::ptrdiff_t>(next_made_ % most_made));
  return all;
}

std::string Watchdog::name_of(const void* site) const {
  const NamesSite names = names_site_;
  return names != nullptr && site != nullptr ? names(site) : "";
}

Watchdog::Watch::Watch(std::shared_ptr<Watchdog> watchdog, const Arguments& arguments,
                       const CallPlace& place, Says says, std::int64_t since_ns)
    : watchdog_(std::move(watchdog)), arguments_(arguments), place_(place) {
  if (watchdog_ == nullptr) return;
  if (place_.entered != nullptr)
    number_ = 1 + (place_.is_to_come ? place_.entered->load() : place_.entered->fetch_add(1));
  start_ns_ = since_ns != 0 ? since_ns : now_ns();
  if (says == Says::its_state) patience_ = Patience(watchdog_->limit_s_);
  const std::lock_guard lock(watchdog_->mutex_);
  watchdog_->watches_.push_back(this);
}

Watchdog::Watch::~Watch() {
  if (watchdog_ == nullptr) return;
  const std::int64_t end_ns = end_ns_ != 0 ? end_ns_ : now_ns();
  const std::lock_guard lock(watchdog_->mutex_);
  std::erase(watchdog_->watches_, this);
  if (place_.entered != nullptr && !place_.is_to_come) watchdog_->remember(*this);
  watchdog_->left_function_ = arguments_.function;
  watchdog_->left_site_ = arguments_.site;
  watchdog_->left_ns_ = end_ns;
  watchdog_->left_by_ = thread_id();
}

void Watchdog::run() {
  pthread_setname_np(pthread_self(), "pat-watchdog");
  std::unique_lock lock(mutex_);
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
