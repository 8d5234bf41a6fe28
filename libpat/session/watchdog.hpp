#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "libpat/execution/arguments.hpp"

namespace pat::detail {

/// When a wait is to be spoken of: after so many seconds, and again each time that it has lasted
/// twice as long.
class Patience {
 public:
  /// 0: never.
  explicit Patience(double limit_s) : next_s_(limit_s) {}
  bool ends(double waited_s) {
    if (next_s_ <= 0.0 || waited_s < next_s_) return false;
    next_s_ *= 2.0;
    return true;
  }

 private:
  double next_s_;
};

/// Knows which collectives threads are in. Speaks up when one has been inside a blocking collective
/// of the MPI library for longer than PAT_WATCHDOG says, and again when twice as long has passed;
/// calls that PAT does itself say more of where they are (Calls::on_wait). A thread of its own,
/// which calls no MPI and sleeps where PAT_WATCHDOG is 0.
class Watchdog {
 public:
  /// `limit_s` 0: it never speaks. `rank` is the process's in the session.
  Watchdog(double limit_s, int rank);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// The call that some thread entered first of those that are not over.
  struct Present {
    std::string function;
    std::int64_t since_ns = 0;  ///< now_ns()
  };
  /// Nothing: no thread is in one. Thread-safe.
  std::optional<Present> present();

  enum class Says : std::uint8_t { its_state, nothing };
  /// A call that is watched as long as this lives.
  class Watch {
   public:
    /// `watchdog` null: nobody watches. The arguments must outlive this.
    Watch(std::shared_ptr<Watchdog> watchdog, const Arguments& arguments,
          Says says = Says::its_state);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    friend class Watchdog;
    const std::shared_ptr<Watchdog> watchdog_;  // an error handler may end the session
    const Arguments& arguments_;
    std::int64_t start_ns_ = 0;
    Patience patience_{0.0};
  };

 private:
  void run();

  const double limit_s_;
  const int rank_;
  std::mutex mutex_;
  std::condition_variable condition_;
  bool stop_ = false;
  std::list<Watch*> watches_;
  std::thread thread_;
};

}  // namespace pat::detail
