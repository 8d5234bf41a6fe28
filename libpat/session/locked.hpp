#pragma once

#include <mutex>

namespace pat::detail {

/// Proof that this thread holds the session's lock. What a public function of a part may touch is
/// said by its signature: without a `Locked&` it touches nothing but constants, atomics and the
/// event queue. Private helpers of a part are reached through such functions only. Only the session
/// makes one.
class Locked {
 public:
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  /// Hands the lock back while `body` runs, which may wait for other processes.
  template <class Body>
  void without(Body&& body) {
    lock_.unlock();
    const Again again{lock_};
    body();
  }

  /// Inside such a body: takes the lock again while `body` runs.
  template <class Body>
  void again(Body&& body) {
    const std::lock_guard guard(lock_);
    body();
  }

 private:
  friend class Session;
  struct Again {
    std::unique_lock<std::mutex>& lock;
    ~Again() { lock.lock(); }
  };

  explicit Locked(std::mutex& mutex) : lock_(mutex) {}
  Locked(std::mutex& mutex, std::adopt_lock_t held) : lock_(mutex, held) {}

  std::unique_lock<std::mutex> lock_;
};

}  // namespace pat::detail
