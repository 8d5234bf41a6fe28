#include "bench/simgrid/agreeing_process.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <simgrid/s4u.hpp>
#include <utility>

#include "collectives/cost/small_machine.hpp"
#include "core/clock.hpp"
#include "core/seconds.hpp"
#include "libpat/agreement/pace.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/thread.hpp"
#include "libpat/session/negotiation.hpp"

/// SimGrid's MPI has no topologies; here this is no_topology(), see CMakeLists.txt.
extern "C" int PMPI_Topo_test(MPI_Comm, int* kind) {
  *kind = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

namespace pat {

/// In this program's sources that is simulated_now_ns(), see CMakeLists.txt: what is linked, such
/// as the models and the judge, is given the time.
std::int64_t now_ns() {
  return static_cast<std::int64_t>(::simgrid::s4u::Engine::get_clock() * 1e9);
}

namespace detail {

/// Stands for libpat's session, which alone can take its lock.
class Session {
 public:
  template <class Body>
  decltype(auto) under_lock(Body&& body) {
    Locked locked(mutex_);
    return std::forward<Body>(body)(locked);
  }

 private:
  std::mutex mutex_;
};

}  // namespace detail

namespace simulated {
namespace {

using namespace detail;

namespace sg4 = ::simgrid::s4u;

double now_s() {
  return sg4::Engine::get_clock();
}

void sleep_until_ns(std::int64_t ns) {
  if (ns > now_ns()) sg4::this_actor::sleep_for(seconds(ns - now_ns()));
}

/// One process of the program: it computes and calls, again and again.
class Process {
 public:
  Process(const Trial& trial, int rank, Meeting& meeting)
      : trial_(trial),
        rank_(rank),
        meeting_(meeting),
        regions_(trial.config.predictor, std::nullopt, rank),
        twins_(
            MPI_COMM_WORLD, [](Twin&) {}, false),
        negotiation_(MPI_COMM_WORLD, trial.config, trial.calibration, true, true, 1.0, twins_,
                     regions_),
        pace_(now_ns()) {
    region_.begin(trial.config.predictor);
    session_.under_lock([&](Locked& locked) {
      auto twin = std::make_unique<Twin>(MPI_COMM_WORLD, twins_.session_ranks(), 0);
      twin_ = &twins_.add(locked, MPI_COMM_WORLD, std::move(twin));
      stream_ = twin_->obtain(locked, trial.signature, trial.forced);
    });
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  Seen play() {
    for (int call = 0; call < trial_.calls; ++call) {
      if (call == trial_.warm_up) begin_to_count();
      compute(call);
      this->call();
    }
    session_.under_lock([&](Locked& locked) {
      seen_.messages = negotiation_.messages_sent(locked) - seen_.messages;
      negotiation_.drain(locked);
    });
    check(PMPI_Barrier(MPI_COMM_WORLD));  // what is sent last finds its receiver
    return seen_;
  }

 private:
  void begin_to_count() {
    seen_ = {};
    session_.under_lock(
        [&](Locked& locked) { seen_.messages = negotiation_.messages_sent(locked); });
  }

  /// What is done in there takes as long as the clock says.
  template <class Body>
  decltype(auto) busy(Body&& body) {
    struct Count {
      Seen& seen;
      const double since_s = now_s();
      ~Count() { seen.busy_s += now_s() - since_s; }
    } count{seen_};
    return session_.under_lock(std::forward<Body>(body));
  }

  // ---- the program

  void compute(int call) {
    const double late_s =
        trial_.delays_s[static_cast<std::size_t>(call)][static_cast<std::size_t>(rank_)];
    const std::int64_t start_ns = now_ns();
    const auto after_ns = [&](double share) {
      return start_ns + static_cast<std::int64_t>(1e9 * share * (trial_.base_s + late_s));
    };
    note(regions_.start(region_, "PAT_ProcessingStart"));
    if (!Negotiation::is_settled(stream_)) next_round_ns_ = now_ns();  // it is woken
    if (trial_.edge > 0.0) {
      go_on_until(after_ns(trial_.edge));
      note(regions_.edge(region_, trial_.edge, "PAT_Edge"));
    }
    go_on_until(after_ns(1.0));
    note(regions_.end(region_, "PAT_ProcessingEnd"));
  }

  void call() {
    const std::uint32_t number = stream_->next_call++;
    ++calls_begun_;
    const std::int64_t arrival_ns = now_ns();
    busy([&](Locked& locked) { take_events(locked); });
    bool asked = false;
    std::shared_ptr<const Decision> decision;
    for (int attempt = 0; !decision; ++attempt) {
      if (attempt > 0) {
        pause(attempt - 1);
        round();
      }
      decision =
          busy([&](Locked& locked) { return find_decision(locked, number, arrival_ns, asked); });
    }
    const double waited_s = seconds(now_ns() - arrival_ns);
    seen_.waited_s += waited_s;
    seen_.calls_waited += asked;
    seen_.longest_wait_s = std::max(seen_.longest_wait_s, waited_s);
    seen_.decisions += decision->first == number;
    run(*decision);
    busy([&](Locked& locked) { leave(locked, number, arrival_ns); });
  }

  /// As Calls::find_decision() of a plain call.
  std::shared_ptr<const Decision> find_decision(Locked& locked, std::uint32_t number,
                                                std::int64_t arrival_ns, bool& asked) {
    if (number == 0)
      return std::make_shared<const Decision>(negotiation_.first_decision(*twin_, *stream_));
    if (!stream_->decision_for(number) && !asked) negotiation_.poll(locked);
    const bool leads = twin_->rank() == stream_->leader_rank;
    if (!stream_->decision_for(number) && leads && !stream_->waits_for_answers())
      while (stream_->decided_until <= number)
        negotiation_.decide(locked, *twin_, *stream_, stream_->decided_until);
    std::shared_ptr<const Decision> found = stream_->decision_for(number);
    if (!found && !leads && !asked) {
      asked = true;
      negotiation_.ask(locked, *twin_, *stream_, number, arrival_ns);
    }
    if (found) stream_->drop_decisions_before(locked, number);
    return found;
  }

  /// All have come, and then as long as the algorithm takes where all come together.
  void run(const Decision& decision) {
    meeting_.come();
    while (!meeting_.all_have_come(calls_begun_)) {
      meeting_.wait_until(1e-9 * static_cast<double>(next_round_ns_));
      if (now_ns() >= next_round_ns_) round();
    }
    const Problem problem = negotiation_.problem_of(*twin_, *stream_, decision, {});
    const Algorithm& chosen = decision.chosen();
    const Algorithm& algorithm = chosen.flat_s != nullptr ? chosen : *trial_.library;
    const double takes_s = formula_s(algorithm, problem, cost_model(problem.cost));
    go_on_until(now_ns() + static_cast<std::int64_t>(1e9 * takes_s));
  }

  /// As Following::leave().
  void leave(Locked& locked, std::uint32_t number, std::int64_t arrival_ns) {
    stream_->region = &region_;
    if (stream_->past_arrival_ns != 0)
      stream_->interval_s.add(seconds(arrival_ns - stream_->past_arrival_ns));
    stream_->last_exit_ns = now_ns();
    stream_->past_call = number;
    stream_->past_arrival_ns = arrival_ns;
    stream_->past_exit_ns = now_ns();
    negotiation_.report_past(locked, *twin_, *stream_);
    if (negotiation_.recalls()) negotiation_.poll(locked);
  }

  // ---- its daemon

  void note(const ProgressEvent& event) { events_.push_back(event); }

  /// As Following::take_events().
  void take_events(Locked& locked) {
    bool changed = false;
    for (const ProgressEvent& event : events_) {
      changed = region_.take(event) || changed;
      if (event.kind == ProgressEvent::Kind::end && stream_->region == &region_)
        negotiation_.tell_if_moved(locked, *twin_, *stream_,
                                   seconds(region_.record.end_ns - region_.record.start_ns));
    }
    events_.clear();
    if (changed && stream_->region == &region_)
      negotiation_.report_forecast(locked, region_, *twin_, *stream_);
  }

  /// Sleeps but for the daemon's rounds.
  void go_on_until(std::int64_t until_ns) {
    while (now_ns() < until_ns) {
      sleep_until_ns(std::min(until_ns, next_round_ns_));
      if (now_ns() >= next_round_ns_) round();
    }
  }

  /// As Rounds::progress().
  void round() {
    const double begin_s = now_s();
    pace::Round found;
    busy([&](Locked& locked) {
      take_events(locked);
      found.messages = negotiation_.poll(locked);
      found.computing = region_.is_computing() || negotiation_.looks_out(locked);
      negotiation_.decide_what_is_due(locked, found);
      found.resting = Negotiation::is_settled(stream_) && negotiation_.leads_far_enough(locked);
      found.leading = found.resting && negotiation_.leads(locked);
    });
    const auto cost_ns = static_cast<std::int64_t>(1e9 * (now_s() - begin_s));
    next_round_ns_ = now_ns() + pace_.pause_ns(found, now_ns(), cost_ns);
  }

  const Trial& trial_;
  const int rank_;
  Meeting& meeting_;
  Session session_;
  Regions regions_;
  Twins twins_;
  Negotiation negotiation_;
  pace::Pace pace_;
  RegionState region_{0, "phase"};
  Twin* twin_ = nullptr;
  Stream* stream_ = nullptr;
  int calls_begun_ = 0;
  std::vector<ProgressEvent> events_;
  std::int64_t next_round_ns_ = 0;
  Seen seen_;
};

}  // namespace

/// It stays: its last receive would be cancelled, which SimGrid takes for a broken link.
Seen compute_and_call(const Trial& trial, int rank, Meeting& meeting) {
  auto* const process = new Process(trial, rank, meeting);
  return process->play();
}

}  // namespace simulated
}  // namespace pat
