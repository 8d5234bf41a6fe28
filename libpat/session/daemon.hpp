#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace pat {

class Runtime;

/// The background thread of a process. It never spins: between rounds it sleeps, and the rounds are
/// spaced so that polling costs at most `share` of one core, whatever a round costs on this
/// machine; only while early data of a collective is under way does it come back sooner.
class Daemon {
 public:
  /// Starts the thread; pinned to `core` unless that is negative.
  Daemon(Runtime& runtime, int core);
  ~Daemon() { stop(); }
  /// Stops the thread by flag and join; its times stay readable.
  void stop();

  /// Something happened that should not wait for the next round. Thread-safe; wakes the thread only
  /// if it sleeps for long.
  void wake();

  /// CPU time of the thread so far, and the part of it spent while early data was under way.
  double cpu_s() const { return static_cast<double>(cpu_ns_.load()) * 1e-9; }
  double moving_cpu_s() const { return static_cast<double>(moving_cpu_ns_.load()) * 1e-9; }

 private:
  void run(int core);
  /// The next call of the program returns `code`.
  void fail(int code);
  void sleep(std::int64_t ns);

  Runtime& runtime_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> long_sleep_{false};
  std::atomic<std::int64_t> cpu_ns_{0}, moving_cpu_ns_{0};
  std::mutex sleep_mutex_;
  std::condition_variable sleep_condition_;
  bool woken_ = false;
  std::thread thread_;
};

}  // namespace pat
