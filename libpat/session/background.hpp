#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "libpat/agreement/pace.hpp"

namespace pat::detail {

/// The background thread of a process, the daemon. It never spins: between rounds it sleeps, and
/// the rounds are spaced (pace.hpp) so that polling costs little of one core, whatever a round
/// costs on this machine; only while early data of a collective is under way does it come back
/// sooner.
class Background {
 public:
  /// One round of whatever is due; an exception ends the thread.
  using Round = std::function<pace::Round()>;
  /// Told the MPI error code of a round that threw.
  using OnFailure = std::function<void(int code)>;

  /// Starts the thread; pinned to `core` unless that is negative.
  Background(Round round, OnFailure on_failure, int core);
  ~Background() { stop(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  /// Stops the thread by flag and join; its times stay readable.
  void stop();

  /// Something happened that should not wait for the next round. Thread-safe; wakes the thread only
  /// if it sleeps for long. Who wakes it from its rest too often waits until it has earned that.
  void wake();

  /// CPU time of the thread so far, and the part of it spent while early data was under way.
  double cpu_s() const { return static_cast<double>(cpu_ns_.load()) * 1e-9; }
  double moving_cpu_s() const { return static_cast<double>(moving_cpu_ns_.load()) * 1e-9; }

 private:
  void run(int core);
  /// False: the round failed.
  bool try_round(pace::Round& found);
  void sleep(std::int64_t ns, std::int64_t deaf_ns, bool resting);

  const Round round_;
  const OnFailure on_failure_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> long_sleep_{false};
  std::atomic<bool> called_{false};  ///< since the present round began
  std::atomic<std::int64_t> cpu_ns_{0}, moving_cpu_ns_{0};
  std::mutex sleep_mutex_;
  std::condition_variable sleep_condition_;
  bool woken_ = false;
  std::thread thread_;
};

}  // namespace pat::detail
