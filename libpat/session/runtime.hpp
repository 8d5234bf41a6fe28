#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "collectives/cost/calibration.hpp"
#include "core/config.hpp"
#include "core/event_queue.hpp"
#include "libpat/agreement/pace.hpp"
#include "libpat/session/control.hpp"
#include "libpat/session/departure.hpp"
#include "libpat/session/request.hpp"
#include "libpat/session/twin.hpp"

namespace pat {

class Daemon;

/// Runs `check_settings` and throws Error(config) on every process of `comm` if it threw on any:
/// its own sentence there, a pointer to the others elsewhere. Collective.
void agree_on_settings(MPI_Comm comm, const std::function<void()>& check_settings);

/// Runs `use`; what it throws of a setting's value comes again as Error(config), with the setting's
/// name before it.
void use_setting(const std::string& name, const std::string& value,
                 const std::function<void()>& use);

/// The algorithm of that name, null for "auto". Throws Error(argument) that lists the names.
const Algorithm* chosen_algorithm(Operation operation, const std::string& name);

/// Everything between PAT_Init and PAT_Finalize in one process. The annotation calls write to the
/// event queue; all other state is under `mutex`, which is never held while waiting for another
/// process.
class Runtime {
 public:
  /// Collective. Throws Error(config) on every process if any has a bad setting.
  Runtime(MPI_Comm comm, const Config& config, bool daemon);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// The running session; throws Error(order) naming `call` if there is none.
  static Runtime& get(const char* call);
  static std::unique_ptr<Runtime>& instance();

  /// Collective: everything of PAT_Finalize that talks to other processes.
  void close();
  /// Local: stops the daemon; for programs that end MPI without PAT_Finalize.
  void stop_daemon();

  // Annotation. Local; edge() is thread-safe, start() and end() one thread at a time per region.
  void start(RegionState& region, const char* call);
  void edge(RegionState& region, double fraction, const char* call);
  void end(RegionState& region, const char* call);
  /// A covariate of the present phase, or of the next one between two phases. Thread-safe.
  void hint(RegionState& region, const std::string& name, double value, const char* call);

  /// The region of a handle, the default one for null. Throws Error(argument) for a freed handle.
  RegionState& region(void* handle, const char* call);
  RegionState* create_region(MPI_Comm comm, const std::string& name);
  void free_region(RegionState& region);
  /// Throws Error(argument) for an unknown model, Error(order) inside a phase.
  void set_predictor(RegionState& region, const std::string& predictor);

  /// The private twin of a user communicator, made on first use (then collective); null if not all
  /// of it belongs to the session or it is an inter-communicator.
  Communicator* communicator(MPI_Comm comm);
  /// The user freed a communicator.
  void forget(Communicator& communicator);

  /// The chosen algorithm of an operation; null: auto.
  const Algorithm* chosen(Operation operation) const {
    return chosen_[static_cast<int>(operation)];
  }
  /// The choice that holds for calls of this kind: v-forms run as stars, operations that do not
  /// commute and reproducible ones in a fixed tree. Null: auto.
  const Algorithm* algorithm_for(const CallSignature& signature) const;
  void set_chosen(Operation operation, const Algorithm* algorithm) {
    const std::lock_guard lock(mutex);  // the daemon looks up what is expected by it
    const Algorithm*& chosen = chosen_[static_cast<int>(operation)];
    if (chosen != algorithm) drop_settled();
    chosen = algorithm;
  }

  // The calls of collectives, see collective.cpp. All under the lock.
  struct Ticket {
    std::shared_ptr<const Decision> decision;
    std::unique_ptr<Execution> execution;
    std::uint32_t call = 0;
  };
  /// The process arrives at the next call of `stream`; waits until the decision for it is there.
  /// Returns the decision, and the execution if the daemon has begun it.
  Ticket arrive(Communicator& comm, Stream& stream, std::int64_t arrival_ns);
  /// The program of this rank for a decision. Cached by what determines it.
  std::shared_ptr<const Program> program(Communicator& comm, Stream& stream,
                                         const Decision& decision, std::uint32_t call);
  /// What a decision asks for, with what the stream's calls have in common.
  Problem problem_of(const Communicator& comm, const Stream& stream,
                     const Decision& decision) const;
  /// An error ended the call.
  void abandon_call();
  /// A settled call was made, and is over.
  void note_call(std::uint32_t communicator, std::uint32_t stream, std::int64_t arrival_ns);
  /// The process leaves the call.
  void leave(Communicator& comm, Stream* stream, std::int64_t arrival_ns);

  // Persistent gathers and scatters, see request.cpp. Each takes the lock itself, checks that the
  // call is in order (Error(order), naming `function`) and throws what the daemon ran into.
  /// Takes over a new request. Local.
  Request& add_request(std::unique_ptr<Request> request);
  /// The request of a handle; throws Error(request) for one that is none.
  Request& request(void* handle, const char* function);
  /// Whose error handler mistakes with it go to; MPI_COMM_NULL if that is unknown or freed.
  MPI_Comm user_communicator(void* handle);
  void set_parts(Request& request, int parts, const char* function);
  void start_request(Request& request, const char* function);
  void hand_over_part(Request& request, int part, const char* function);
  void ready_request(Request& request, const char* function);
  /// Whether the call has ended; never waits.
  bool test_request(Request& request, const char* function);
  void wait_for_request(Request& request, const char* function);
  /// The request is not active any more: gives back what it used. Collective over its communicator.
  void free_request(Request& request, const char* function);
  /// Requests that are started and not waited for.
  std::size_t active_requests() const;
  /// What to call now and then while this thread waits inside a collective: the watchdog, and,
  /// where no daemon does it, what brings other requests forward. Null if there is nothing to do.
  std::function<void(double)> while_waiting(const char* function,
                                            std::function<std::string()> state);

  /// One round of everything that goes on in the background: events, messages, decisions due, early
  /// data. Called by the daemon, and inside PAT calls when there is none. Needs the lock.
  using Progress = pace::Round;  ///< times on the now_ns() clock
  Progress progress();
  void handle_events();
  /// The events before a call, after it: those of phases that other threads have begun since stay,
  /// and what the phase before the call left behind is no forecast of the next one: only phases
  /// that still run are reported.
  void handle_events_until(std::int64_t arrival_ns);

  std::int64_t synchronised_now() const { return now_ns() + offset_ns_; }
  std::int64_t clock_offset() const { return offset_ns_; }

  /// For tests: changes each forecast before it is reported, as a broken or wrong predictor would.
  std::function<Forecast(const Forecast&)> forecast_filter;

  std::mutex mutex;
  const Config config;
  Calibration calibration;
  const std::int64_t begin_ns = now_ns();
  std::atomic<int> failure{MPI_SUCCESS};  ///< an MPI error in the daemon: returned by the next call
  std::atomic<std::uint64_t> dropped_events{0};
  std::uint64_t static_calls = 0;
  /// Some process wants a trace or a report, so that calls are recorded on all of them.
  bool records_calls = false;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The twin of the session's communicator; null once the user has freed that.
  const Communicator* own_communicator() const { return default_region_->communicator; }
  bool has_daemon() const { return daemon_on_; }
  double daemon_cpu_s() const;
  double daemon_moving_cpu_s() const;
  const Control& control() const { return *control_; }
  const std::vector<std::unique_ptr<RegionState>>& regions() const { return regions_; }
  const std::map<std::uint32_t, std::unique_ptr<Communicator>>& communicators() const {
    return communicators_;
  }
  /// Of the communicators that the user has freed.
  const std::map<TallyKey, Tally>& freed_tallies() const { return freed_tallies_; }

 private:
  struct Waiting {  // a message about a stream that this process has not reached yet
    int from;
    Report report;
    bool ask;
  };

  void push(const ProgressEvent& event, bool may_drop);
  /// Returns the region whose forecast may have changed, or null.
  RegionState* take(const ProgressEvent& event);
  /// Takes a twin out of everything and lets it depart.
  void remove(Communicator& gone);
  void forget_what_follows(const Communicator& gone);
  void advance_departures();
  void progress_without_daemon();
  Stream* expected_stream(const RegionState& region) const;
  void report_forecast(RegionState& region);
  Forecast forecast_of(const Stream& stream) const;
  Report make_report(const Communicator& comm, const Stream& stream, std::uint32_t call) const;
  /// This process has arrived.
  Report arrival_report(const Communicator& comm, const Stream& stream, std::uint32_t call,
                        std::int64_t arrival_ns) const;
  /// Programs without regions: the time between two calls is what is predicted.
  void learn_gap(Stream& stream, std::int64_t arrival_ns);
  bool needs_report(const Stream& stream, std::uint32_t call) const;
  /// Whether the stream's next call is decided and nothing of it is done before this process
  /// arrives: then nobody reports.
  bool is_settled(const Stream* stream) const;
  bool may_rest() const;
  static bool leads_far_enough(const Communicator& comm, const Stream& stream);
  bool leads() const;
  void send_report(Communicator& comm, Stream& stream, const Report& report, bool ask);
  void take_report(int from, const Report& report, bool ask);
  bool apply_report(int from, const Report& report, bool ask);
  void take_decision(const Decision& decision);
  void decide(Communicator& comm, Stream& stream, std::uint32_t call);
  /// Fills in what is decided for this pattern. Throws Error for costs that no schedule is for.
  void choose_by(const ArrivalPattern& pattern, const Communicator& comm, Stream& stream,
                 Decision& decision) const;
  void decide_what_is_due(Progress& progress);
  /// Whether the root of a live lease should begin `call` in the background: shortly before the
  /// first predicted arrival, when all have said their last word, or when somebody has come.
  bool may_begin(const Communicator& comm, const Stream& stream, const Decision& decision,
                 std::uint32_t call, Progress& progress) const;
  void advance_early(Communicator& comm, Stream& stream, Progress& progress);
  void note_moving(Stream& stream, bool moved, Progress& progress) const;
  Decision first_decision(const Communicator& comm, const Stream& stream) const;
  void ask_for_decision(Communicator& comm, Stream& stream, std::uint32_t call,
                        std::int64_t arrival_ns);
  void report_without_daemon(Communicator& comm, Stream& stream, const Decision& decision,
                             std::uint32_t call, std::int64_t arrival_ns);
  /// What a call leaves behind, `stream` null if it needed no decision.
  void count_call(Communicator& comm, Stream* stream, std::int64_t arrival_ns,
                  std::int64_t exit_ns);
  std::uint32_t settled_until(const Communicator& comm, const Stream& stream) const;
  RegionState* phase_before_call(std::int64_t arrival_ns, std::int64_t exit_ns);
  Communicator::Call record_of(const RegionState* region, const Stream* stream,
                               std::int64_t arrival_ns) const;
  void learn_what_followed(Communicator& comm, Stream& stream, RegionState* region,
                           std::int64_t arrival_ns);
  void expect_next_call(Communicator& comm, Stream& stream, std::int64_t exit_ns);
  void advance_request(Request& request, Progress& progress);
  bool decide_request(Request& request);
  bool begin_request(Request& request, Progress& progress);
  void advance_library(Request& request);
  void wait_for_library(Request& request, const std::function<void(double)>& hook);
  /// Returns the error that its execution noted.
  int end_request(Request& request);
  void wake_daemon();

  int rank_ = 0, size_ = 0;
  std::int64_t offset_ns_ = 0;
  std::unique_ptr<Control> control_;
  const bool daemon_on_;
  std::unique_ptr<Daemon> daemon_;
  /// Takes the next event no later than that into event_.
  bool next_event(std::int64_t until_ns);

  EventQueue<ProgressEvent, 4096> events_;
  ProgressEvent event_{};
  bool event_waits_ = false;  ///< event_ has been taken from the queue and not been handled
  std::vector<std::unique_ptr<RegionState>> regions_;
  RegionState* default_region_ = nullptr;
  std::map<std::uint32_t, std::unique_ptr<Communicator>> communicators_;
  std::atomic<std::uint32_t> communicators_named_{0};
  std::vector<std::unique_ptr<Departure>> departures_;
  std::vector<std::unique_ptr<Request>> requests_;
  std::map<TallyKey, Tally> freed_tallies_;
  std::set<std::uint32_t> forgotten_;  ///< freed by the user: late messages about them are dropped
  std::array<const Algorithm*, operation_count> chosen_ = {};
  std::vector<Waiting> waiting_;
  std::vector<Decision> waiting_decisions_;
  Stream* last_stream_ = nullptr;
  Communicator* last_communicator_ = nullptr;
  bool in_call_ = false;
  std::atomic<bool> resting_{false};  ///< so the daemon was told
};

}  // namespace pat
