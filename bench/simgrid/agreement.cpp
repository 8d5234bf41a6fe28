// libpat's agreement among very many processes, on a simulated cluster: each process has libpat's
// Negotiation (reports, their tree, the leader with its judge, decisions, leases and what calls
// them back), compiled against SimGrid's MPI. Its messages travel simulated links, its clock is the
// simulation's, and its daemon makes rounds when libpat's thread would. Of a call all processes
// wait for each other and then as long as the chosen algorithm's formula says: no data is moved.
//
//   pat-simgrid-agreement [--machine M] [--op OP] [--alg auto|NAME] [--pattern P] ...
//
// Two lines, of each process and call: how often one asked for a decision that was not there, and
// how long it waited; messages sent; and how long it was busy, where each look for messages, and
// each message found, takes a microsecond, and nothing else does. "most" is of those that do not
// lead.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "bench/simgrid/machine.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/cost/small_machine.hpp"
#include "collectives/operation_row.hpp"
#include "core/clock.hpp"
#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/seconds.hpp"
#include "core/units.hpp"
#include "libpat/agreement/pace.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/thread.hpp"
#include "libpat/session/negotiation.hpp"
#include "measure/command_line.hpp"
#include "measure/delays.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

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

/// What is played.
struct Trial {
  std::string machine_name = "star:48", operation_name = "allreduce", algorithm_name = "auto",
              pattern = "uniform:5ms";
  std::size_t bytes = std::size_t{1} << 20;  ///< in all, or a vector
  double base_s = 20e-3;                     ///< of each computing phase, beside the delay
  double edge = 0.5;                         ///< share of the phase at which it is told; 0: nowhere
  int calls = 40, warm_up = 20;
  std::uint64_t seed = 1;

  Machine machine;
  CallSignature signature;
  const Algorithm* forced = nullptr;   ///< null: auto
  const Algorithm* library = nullptr;  ///< what MPI's own is taken to run
  Config config;
  Calibration calibration;                    ///< nothing is
  std::vector<std::vector<double>> delays_s;  ///< by call and rank
};

/// What one process has seen of the calls after the first ones.
struct Seen {
  double waited_s = 0.0, longest_wait_s = 0.0;  ///< for decisions
  double busy_s = 0.0;                          ///< its daemon, and its calls but for waiting
  std::size_t messages = 0, bytes = 0;          ///< sent
  int calls_waited = 0, rounds = 0, decisions = 0;
};

double now_s() {
  return sg4::Engine::get_clock();
}

void sleep_until_ns(std::int64_t ns) {
  if (ns > now_ns()) sg4::this_actor::sleep_for(seconds(ns - now_ns()));
}

/// One process of the program: it computes and calls, again and again.
class Process {
 public:
  Process(const Trial& trial, int rank)
      : trial_(trial),
        rank_(rank),
        regions_(trial.config.predictor, std::nullopt, rank),
        twins_(
            MPI_COMM_WORLD, [](Twin&) {}, false),
        negotiation_(MPI_COMM_WORLD, trial.config, trial.calibration, true, true, 1.0, twins_,
                     regions_),
        pace_(now_ns()) {
    region_.begin(trial.config.predictor);
    check(PMPI_Comm_dup(MPI_COMM_WORLD, &data_));
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
      seen_.bytes = negotiation_.bytes_sent(locked) - seen_.bytes;
      negotiation_.drain(locked);
    });
    check(PMPI_Barrier(data_));  // what is sent last finds its receiver
    return seen_;
  }

 private:
  void begin_to_count() {
    seen_ = {};
    session_.under_lock([&](Locked& locked) {
      seen_.messages = negotiation_.messages_sent(locked);
      seen_.bytes = negotiation_.bytes_sent(locked);
    });
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
    MPI_Request all = MPI_REQUEST_NULL;
    check(PMPI_Ibarrier(data_, &all));
    for (int done = 0; !done;) {
      check(PMPI_Test(&all, &done, MPI_STATUS_IGNORE));
      if (!done) go_on_until(now_ns() + look_ns);
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
    ++seen_.rounds;
    const auto cost_ns = static_cast<std::int64_t>(1e9 * (now_s() - begin_s));
    next_round_ns_ = now_ns() + pace_.pause_ns(found, now_ns(), cost_ns);
  }

  static constexpr std::int64_t look_ns = 50'000;  ///< how often a call looks whether it is over

  const Trial& trial_;
  const int rank_;
  Session session_;
  Regions regions_;
  Twins twins_;
  Negotiation negotiation_;
  pace::Pace pace_;
  RegionState region_{0, "phase"};
  Twin* twin_ = nullptr;
  Stream* stream_ = nullptr;
  MPI_Comm data_ = MPI_COMM_NULL;
  std::vector<ProgressEvent> events_;
  std::int64_t next_round_ns_ = 0;
  Seen seen_;
};

Operation operation_of(const std::string& operation_name) {
  const auto found = find_operation(operation_name);
  if (found && row(*found).has_bytes() && !row(*found).among_neighbours()) return *found;
  throw Error(ErrorKind::argument, "The operation '" + operation_name +
                                       "' is not simulated, choose one that moves data among all "
                                       "processes, such as gather, reduce or allreduce.");
}

constexpr double longest_s = 10.0;  ///< of a phase: daemons look a thousand times a second

/// Fills in what follows from the options.
void prepare(Trial& trial) {
  trial.machine = find_machine(trial.machine_name);
  const Operation operation = operation_of(trial.operation_name);
  if (trial.algorithm_name != "auto")
    trial.forced = &get_algorithm(operation, trial.algorithm_name);
  if (!(trial.edge >= 0.0 && trial.edge < 1.0))
    throw Error(ErrorKind::argument,
                "--edge is a share of a phase, give 0 or more and less than 1.");
  if (!(trial.base_s <= longest_s))
    throw Error(ErrorKind::argument, "--base is too long to simulate, give at most " +
                                         std::to_string(int(longest_s)) + " s.");
  if (trial.warm_up >= trial.calls)
    throw Error(ErrorKind::argument, "--warmup leaves no call of --calls, give fewer.");
  const auto ranks = static_cast<std::size_t>(trial.machine.ranks);
  trial.signature.operation = operation;
  trial.signature.unit_bytes = row(operation).combines ? 8 : 1;
  trial.signature.block_bytes = row(operation).in_blocks() ? trial.bytes / ranks : trial.bytes;
  trial.signature.block_bytes -= trial.signature.block_bytes % trial.signature.unit_bytes;
  if (trial.signature.block_bytes == 0)
    throw Error(ErrorKind::argument, "--size leaves no unit for each process, give more.");
  const LinkCost cost = trial.machine.cost();
  trial.config.alpha_s = cost.alpha_s;
  trial.config.beta_s_per_byte = cost.beta_s_per_byte;
  trial.config.gamma_s_per_byte = cost.gamma_s_per_byte;
  Problem problem;
  problem.operation = operation;
  problem.ranks = trial.machine.ranks;
  problem.unit_bytes = trial.signature.unit_bytes;
  problem.units = trial.signature.block_bytes / trial.signature.unit_bytes;
  problem.cost = cost;
  trial.library = fastest_without_pattern(problem, cost_model(cost)).stand_in;
  const auto delays =
      measure::make_delays(trial.pattern, {.ranks = trial.machine.ranks, .seed = trial.seed});
  for (int call = 0; call < trial.calls; ++call)
    trial.delays_s.push_back(delays->at(static_cast<std::uint64_t>(call)));
}

std::vector<Seen> play(const Trial& trial) {
  std::vector<std::string> arguments = {"pat-simgrid-agreement", "--log=root.thres:warning"};
  for (const std::string& setting : trial.machine.config()) arguments.push_back("--cfg=" + setting);
  // Messages travel when they are sent. By default they set out when they are received, and who
  // looks would find one a look.
  for (const char* setting : {"send-is-detached-thresh", "async-small-thresh"})
    arguments.push_back(std::string("--cfg=smpi/") + setting + ":" +
                        std::to_string(Control::limit + 1));
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());

  smpi_init_options();
  sg4::Engine engine(&argc, argv.data());
  const std::vector<sg4::Host*> hosts = trial.machine.build();
  SMPI_init();
  SMPI_app_instance_register("pat", nullptr, trial.machine.ranks);
  std::vector<Seen> seen(hosts.size());
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const sg4::ActorPtr actor = sg4::Actor::init("rank" + std::to_string(rank), hosts[rank]);
    actor->set_property("instance_id", "pat");
    actor->set_property("rank", std::to_string(rank));
    actor->start([&trial, &seen, rank] {
      check(PMPI_Init(nullptr, nullptr));
      // It stays: its last receive would be cancelled, which SimGrid takes for a broken link.
      auto* const process = new Process(trial, static_cast<int>(rank));
      seen[rank] = process->play();
      check(PMPI_Finalize());
    });
  }
  engine.run();
  SMPI_finalize();
  return seen;
}

void print(const Trial& trial, const std::vector<Seen>& seen) {
  const double calls = trial.calls - trial.warm_up, ranks = trial.machine.ranks;
  Seen sum, most;
  for (std::size_t rank = 0; rank < seen.size(); ++rank) {
    const Seen& one = seen[rank];
    sum.waited_s += one.waited_s;
    sum.longest_wait_s = std::max(sum.longest_wait_s, one.longest_wait_s);
    sum.calls_waited += one.calls_waited;
    sum.busy_s += one.busy_s;
    sum.messages += one.messages;
    sum.bytes += one.bytes;
    if (rank == 0) continue;  // the leader
    most.messages = std::max(most.messages, one.messages);
    most.busy_s = std::max(most.busy_s, one.busy_s);
  }
  const Seen& leader = seen.front();
  std::printf("%6s %9s %9s %9s %9s | %8s %8s %8s | %9s %9s %9s\n", "P", "decided", "asked %",
              "wait us", "most us", "sent", "most", "leader", "busy us", "most us", "leader");
  std::printf("%6d %9.2f %9.2f %9.1f %9.1f | %8.2f %8.1f %8.1f | %9.1f %9.1f %9.1f\n",
              trial.machine.ranks, leader.decisions / calls,
              100.0 * sum.calls_waited / calls / ranks, 1e6 * sum.waited_s / calls / ranks,
              1e6 * sum.longest_wait_s, static_cast<double>(sum.messages) / calls / ranks,
              static_cast<double>(most.messages) / calls,
              static_cast<double>(leader.messages) / calls, 1e6 * sum.busy_s / calls / ranks,
              1e6 * most.busy_s / calls, 1e6 * leader.busy_s / calls);
}

}  // namespace
}  // namespace simulated
}  // namespace pat

int main(int argc, char** argv) {
  CLI::App app("libpat's agreement on a simulated cluster: waits for decisions, messages and load",
               "pat-simgrid-agreement");
  pat::measure::HelpFormatter::use(app);
  pat::simulated::Trial trial;
  const auto add = [&](const char* name, auto& value, const std::string& meaning) {
    return app.add_option(name, value, meaning)->capture_default_str();
  };
  add("--machine", trial.machine_name, "star:N (1 Gbit/s), fast-star:N or fat-tree:N (10 Gbit/s)");
  add("--op", trial.operation_name, "What is called");
  add("--alg", trial.algorithm_name, "auto, or a registered name, which is decided for each call");
  add("--pattern", trial.pattern, "Of the computing phases, as in pat bench");
  pat::measure::takes_bytes(
      add("--size", trial.bytes, "Of all blocks, or of a vector: bytes or such as 1MiB"));
  pat::measure::takes_seconds(
      add("--base", trial.base_s, "Of each phase, beside its delay: seconds or such as 20ms"));
  add("--edge", trial.edge, "Share of a phase at which it is told, less than 1; 0: nowhere");
  add("--calls", trial.calls, "Of each process")->check(CLI::Range(2, 100000));
  add("--warmup", trial.warm_up, "First ones that are not counted")->check(CLI::Range(0, 100000));
  add("--tree", trial.config.report_tree,
      "As PAT_REPORT_TREE: more processes than this tell by a tree")
      ->check(CLI::Range(1, 1 << 24));
  add("--seed", trial.seed, "Of the delays");
  return pat::measure::run_program(app, argc, argv, [&] {
    pat::simulated::prepare(trial);
    pat::simulated::print(trial, pat::simulated::play(trial));
    return 0;
  });
}
