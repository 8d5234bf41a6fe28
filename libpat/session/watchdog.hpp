#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "libpat/agreement/signature.hpp"
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

/// What tells a call from the others of the process, for those who compare processes. Null: not
/// known.
struct CallPlace {
  /// The communicator's calls are counted; null: this one is not, as it is a request's.
  std::atomic<std::uint32_t>* entered = nullptr;
  std::optional<std::uint32_t> communicator = std::nullopt;  ///< the twin's id
  const CallSignature* signature = nullptr;                  ///< null: that of the series
  std::optional<std::uint32_t> series = std::nullopt;
  bool is_to_come = false;  ///< the call comes after this, which is part of it: not counted yet
};

/// Knows which collectives threads are in. Speaks up when one has been inside a blocking collective
/// of the MPI library for longer than PAT_WATCHDOG says, and again when twice as long has passed;
/// calls that PAT does itself say more of where they are (Calls::on_wait). A thread of its own,
/// which calls no MPI; none where PAT_WATCHDOG is no time.
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
    const void* site = nullptr;
    MPI_Op op = {};
    std::optional<std::uint32_t> communicator, series, number = {};  ///< see CallPlace
    std::optional<CallSignature> signature = {};
  };
  /// Nothing: no thread is in one. Thread-safe.
  std::optional<Present> present();
  /// The call that was over last. Nothing: none was. Thread-safe.
  struct Left {
    std::string function;
    std::int64_t exit_ns = 0;  ///< now_ns()
    const void* site = nullptr;
    std::int32_t thread = 0;  ///< that was in it, see thread_id()
  };
  std::optional<Left> left();
  /// Counted calls on one communicator that are over, alike and one after another.
  struct Made {
    const char* function = nullptr;
    const void* site = nullptr;
    MPI_Op op = {};
    std::uint32_t communicator = 0;
    std::optional<std::uint32_t> series = {};
    std::optional<CallSignature> signature = {};
    std::uint32_t first = 0, last = 0;  ///< their numbers
  };
  /// So many are remembered: ranks that do not wait for each other get so far apart.
  static constexpr std::size_t most_made = 64;
  /// The latest ones, oldest first. Thread-safe.
  std::vector<Made> made();

  /// How places that the program calls from are named, such as "solver.c:81"; not by default.
  using NamesSite = std::string (*)(const void* site);
  void name_sites_by(NamesSite names) { names_site_ = names; }
  /// Empty: not known. Thread-safe.
  std::string name_of(const void* site) const;

  enum class Says : std::uint8_t { its_state, nothing };
  /// A call that is watched as long as this lives.
  class Watch {
   public:
    /// `watchdog` null: nobody watches. The arguments and the signature must outlive this.
    /// `since_ns`: when it began, where the caller has looked at the clock; else 0.
    Watch(std::shared_ptr<Watchdog> watchdog, const Arguments& arguments,
          const CallPlace& place = {}, Says says = Says::its_state, std::int64_t since_ns = 0);
    ~Watch();
    /// The call was over then: the caller has looked at the clock.
    void ended(std::int64_t end_ns) { end_ns_ = end_ns; }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    friend class Watchdog;
    const std::shared_ptr<Watchdog> watchdog_;  // an error handler may end the session
    const Arguments& arguments_;
    const CallPlace place_;
    std::uint32_t number_ = 0;  ///< if the communicator's calls are counted
    std::int64_t start_ns_ = 0, end_ns_ = 0;
    Patience patience_{0.0};
  };

 private:
  void run();

  const double limit_s_;
  const int rank_;
  std::mutex mutex_;
  std::condition_variable condition_;
  bool stop_ = false;
  void remember(const Watch& over);

  std::vector<Made> made_;       ///< a ring
  std::size_t next_made_ = 0;    ///< so many have been begun
  std::vector<Watch*> watches_;  ///< in the order in which they began
  const char* left_function_ = nullptr;
  const void* left_site_ = nullptr;
  std::int64_t left_ns_ = 0;
  std::int32_t left_by_ = 0;
  std::atomic<NamesSite> names_site_ = nullptr;
  std::thread thread_;
};

}  // namespace pat::detail
