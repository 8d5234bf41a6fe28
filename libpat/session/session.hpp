#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "collectives/cost/calibration.hpp"
#include "core/config.hpp"
#include "core/journal.hpp"
#include "libpat/agreement/thread_id.hpp"
#include "libpat/mpi/environment.hpp"
#include "libpat/session/background.hpp"
#include "libpat/session/forced.hpp"
#include "libpat/session/locked.hpp"
#include "libpat/session/negotiation.hpp"
#include "libpat/session/regions.hpp"
#include "libpat/session/rounds.hpp"
#include "libpat/session/twins.hpp"

namespace pat::detail {

/// What a PAT_Init failed with: the sentence, empty if it did not, and whether all processes have
/// the same one.
struct WhyNone {
  std::string sentence;
  bool on_all = false;
};

/// Everything between PAT_Init and PAT_Finalize in one process: the settings, the lock and the
/// parts, each of which uses only those that stand before it here.
class Session {
 public:
  /// Collective. Throws Error(config) on every process if any has a bad setting.
  Session(MPI_Comm comm, const Config& config, bool daemon);
  ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The running session; throws Error(order) naming `call` if there is none.
  static Session& get(const char* call);
  static std::unique_ptr<Session>& instance();
  /// What the last PAT_Init failed with.
  static WhyNone& why_none();

  /// `body(locked)`, with the session's lock: the only way to it from elsewhere. Returns what it
  /// returns. What waits for another process in there hands the lock back.
  template <class Body>
  decltype(auto) under_lock(Body&& body) {
    Locked locked = lock();
    return std::forward<Body>(body)(locked);
  }
  /// The same for a process that is about to end, maybe inside the lock: false if it was not to be
  /// had, and `body` not called.
  template <class Body>
  bool under_lock_within(std::chrono::milliseconds patience, Body&& body) {
    const auto locked = lock_within(patience);
    if (locked != nullptr) std::forward<Body>(body)(*locked);
    return locked != nullptr;
  }

  /// Collective: waits until all processes are there, without which nothing of close() may begin.
  /// Throws Error(order) that names one which is in MPI_Finalize instead.
  void meet();
  /// What the program calls to begin and to end it: under `pat run` it knows nothing of PAT's.
  static inline const char* begun_by = "PAT_Init";
  const char* ended_by = "PAT_Finalize";
  /// With PAT_CALIBRATION=cache: keeps what was learnt for the next run. Collective.
  void keep_costs();
  /// Collective: everything of PAT_Finalize that talks to other processes.
  void close();
  /// Stops the daemon; the session is left as it is then. Local.
  void stop_background();
  /// The same, and tells the others; for programs that end MPI without PAT_Finalize.
  void leave();

  /// The twin of a user communicator, made on first use (then collective); null if not all of it
  /// belongs to the session or it is an inter-communicator. For the call of this name. Takes the
  /// lock.
  Twin* twin(MPI_Comm comm, const char* function);
  /// Gives it its private communicator if it has none yet (then collective), or for ever none where
  /// making one might never end: see docs/preload.md. True: something has changed. `call`: the
  /// plain one that needs it; null: another. Takes the lock.
  bool open_messages(Twin& twin, MPI_Comm comm, const char* function, const Call* call = nullptr);
  /// Waits until all processes of the communicator are here, while requests go on: what then blocks
  /// in the MPI library waits for nobody's request. Collective over `comm`. Takes the lock.
  void assemble(MPI_Comm comm, const char* function);
  /// Leaves an event for the background; may drop it when too many wait. Takes the lock if not.
  void note(const ProgressEvent& event, bool may_drop) {
    if (!regions.push(event)) note_when_full(event, may_drop);
  }
  /// Of a phase until now so much was pause, of which only the sum is known. Takes the lock if the
  /// queue is full.
  void note_pauses(const RegionState& region, std::uint32_t iteration, std::int64_t now_ns,
                   std::int64_t paused_ns) {
    if (paused_ns <= 0) return;
    const ProgressEvent::Progress phase{0.0F, iteration, region.id};
    note({now_ns - paused_ns, {phase}, ProgressEvent::Kind::pause}, false);
    note({now_ns, {phase}, ProgressEvent::Kind::resume}, false);
  }
  /// Nobody wants to hear of a pause before its phase's next edge or end.
  bool sums_pauses() const {
    return !rest.forecasts_wanted() && (background_ != nullptr || rest.holds());
  }
  /// After such an event: what goes on without a daemon, inside PAT's calls of the main thread;
  /// else wakes it up. Nothing while all is settled, or the call after this region is.
  void nudge(const ProgressEvent& event) {
    if (background_ == nullptr)
      go_on_without_daemon(event.time_ns);
    else if (event.kind == ProgressEvent::Kind::start && rest.forecasts_wanted() &&
             Regions::region_of(event).forecast_wanted())
      background_->wake();
  }

  /// Somebody looks at rank 0: how do processes on other machines stand? Answers come in the
  /// background. Any thread, without the lock.
  void look_elsewhere() {
    negotiation.elsewhere().look();
    if (background_) background_->wake();
  }

  const std::shared_ptr<Watchdog>& watchdog() const { return circumstances.watchdog; }
  bool has_daemon() const { return background_ != nullptr; }
  const Background* background() const { return background_.get(); }
  int rank() const { return rank_; }
  int size() const { return size_; }

  const Config config;
  const std::int64_t begin_ns = now_ns();
  const std::string mpi = mpi_library();  ///< which MPI library runs
  const bool thread_multiple = has_thread_multiple();
  std::atomic<int> failure{MPI_SUCCESS};  ///< an MPI error in the daemon: returned by the next call
  Forced forced;

 private:
  Session(MPI_Comm comm, const Config& config, bool daemon, bool daemon_everywhere,
          bool keeps_journal);
  Locked lock() { return Locked(mutex_); }
  std::unique_ptr<Locked> lock_within(std::chrono::milliseconds patience);
  void begin(MPI_Comm comm);
  void note_maker();
  bool may_make_communicators(const Twin& twin, MPI_Comm comm);
  void wait_for_all(MPI_Comm comm, const char* function);
  void note_when_full(const ProgressEvent& event, bool may_drop);
  void go_on_without_daemon(std::int64_t now_ns);

  std::mutex mutex_;
  const std::int32_t first_thread_ = thread_id();
  std::atomic<bool> others_make_ = false;  ///< other threads, too, come with new communicators
  int rank_ = 0, size_ = 0;

 public:
  Calibration calibration;
  const Circumstances circumstances;
  Regions regions;
  const std::unique_ptr<Journal> journal;  ///< null: no process wants a trace or a report
  Twins twins;
  Negotiation negotiation;
  Rest rest;
  Records records;
  Following following;
  Runs runs;
  Calls calls;
  Requests requests;
  Rounds rounds;

 private:
  std::unique_ptr<Background> background_;
};

}  // namespace pat::detail
