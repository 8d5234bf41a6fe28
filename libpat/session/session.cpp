#include "libpat/session/session.hpp"

#include <sched.h>
#include <spdlog/spdlog.h>

#include <array>
#include <functional>
#include <thread>
#include <utility>

#include "core/errors.hpp"
#include "core/seconds.hpp"
#include "libpat/agreement/choice.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/clock_sync.hpp"
#include "libpat/mpi/cost_cache.hpp"
#include "libpat/mpi/crowding.hpp"
#include "libpat/mpi/link_speeds.hpp"
#include "libpat/mpi/load_calibration.hpp"
#include "libpat/mpi/local.hpp"
#include "libpat/mpi/private_communicator.hpp"
#include "libpat/mpi/quick_calibration.hpp"
#include "libpat/mpi/settings.hpp"
#include "libpat/mpi/shared_cost.hpp"
#include "libpat/mpi/thread.hpp"
#include "libpat/mpi/wide_sum.hpp"
#include "libpat/session/settled.hpp"

namespace pat::detail {
namespace {

void forget_freed(Twin& twin) {
  if (Session* session = Session::instance().get())
    session->under_lock([&](Locked& locked) { session->requests.forget(locked, twin); });
}

std::string shared_clock() {
  return clock_info().source + ", offset to rank 0 by ping-pong";
}

/// What measuring messages may take; 0: the user says what they cost, or that nothing is measured.
double calibration_budget_s(const Config& config) {
  const Config none;
  const bool said = (!config.calibration.empty() && config.calibration != cache_setting) ||
                    config.alpha_s != none.alpha_s ||
                    config.beta_s_per_byte != none.beta_s_per_byte ||
                    config.gamma_s_per_byte != none.gamma_s_per_byte;
  if (said || config.calibrate == "off") return 0.0;
  // Links and what processes share take the rest of 20 ms.
  return config.calibrate == "full" ? 1.0 : 0.010;
}

/// What there is time for. Collective.
Calibration measured_in_passing(MPI_Comm users, const Config& config, double crowd,
                                double budget_s) {
  MPI_Comm comm = private_communicator(users);
  Calibration found = quick_calibration(comm, budget_s);
  const LinkCost usual = usual_cost(config, found);
  take_in_links(link_speeds(comm, usual, found.messages.back().bytes), found);
  found.shared = measure_shared_cost(comm, found, crowd, 0.5 * budget_s);
  check(PMPI_Comm_free(&comm));
  return found;
}

/// What ranks decide by themselves must be the same on all: else they would wait for each other.
void refuse_unlike(MPI_Comm comm, const Config& config) {
  const std::array<std::pair<const char*, std::string>, 5> decisive{{
      {"PAT_ALG", config.algorithms},
      {"PAT_MIN_BYTES", std::to_string(config.min_bytes)},
      {"PAT_REPRODUCIBLE", std::to_string(static_cast<int>(config.reproducible))},
      {"PAT_CALIBRATE, PAT_CALIBRATION or one of PAT_ALPHA, PAT_BETA and PAT_GAMMA",
       std::to_string(calibration_budget_s(config))},
      {"PAT_CALIBRATION=cache", std::to_string(keeps_costs(config))},
  }};
  std::array<std::uint64_t, 2 * decisive.size()> mine{}, least{};  // the least of ~x is the most
  for (std::size_t i = 0; i < decisive.size(); ++i) {
    mine[2 * i] = std::hash<std::string>{}(decisive[i].second);
    mine[2 * i + 1] = ~mine[2 * i];
  }
  check(PMPI_Allreduce(mine.data(), least.data(), static_cast<int>(mine.size()), MPI_UINT64_T,
                       MPI_MIN, comm));
  for (std::size_t i = 0; i < decisive.size(); ++i)
    if (least[2 * i] != ~least[2 * i + 1])
      throw Error(ErrorKind::config,
                  std::string(decisive[i].first) +
                      " is not the same on all processes, set it alike for all of mpirun's");
}

/// Tells sessions apart: when rank 0 began it.
std::int64_t begin_of(MPI_Comm comm) {
  std::int64_t time_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count();
  check(PMPI_Bcast(&time_ns, 1, MPI_INT64_T, 0, comm));
  return time_ns;
}

/// Null: none is wanted.
std::shared_ptr<Watchdog> watchdog_for(const Config& config, int rank) {
  if (config.watchdog_s <= 0.0 && !config.live && !config.watchdog_auto) return nullptr;
  return std::make_shared<Watchdog>(config.watchdog_s, rank);
}

bool wants_records(const Config& config) {
  return !config.trace.empty() || !config.report.empty();
}

/// Never destroyed: in a child process its threads are not there to be waited for. Made before the
/// program begins, so that an edge finds it by one load.
union Running {
  constexpr Running() : session() {}
  ~Running() {}
  std::unique_ptr<Session> session;
};
constinit Running running;

}  // namespace

[[gnu::hot]] std::unique_ptr<Session>& Session::instance() {
  return running.session;
}

WhyNone& Session::why_none() {
  static WhyNone why;
  return why;
}

[[gnu::hot]] Session& Session::get(const char* call) {
  Session* session = running.session.get();
  if (session == nullptr) {
    const std::string& why = why_none().sentence;
    throw Error(ErrorKind::order,
                std::string(call) + " was called while PAT is not running, " +
                    (why.empty() ? "call PAT_Init first" : "PAT_Init has failed: " + why));
  }
  return *session;
}

Session::Session(MPI_Comm comm, const Config& settings, bool daemon)
    : Session(comm, settings, daemon, on_all(comm, daemon), on_any(comm, wants_records(settings))) {
}

Session::Session(MPI_Comm comm, const Config& settings, bool daemon, bool daemon_everywhere,
                 bool keeps_journal)
    : config(settings),
      calibration((begin(comm), load_calibration(comm, settings))),
      circumstances{daemon, daemon_everywhere, processes_per_core(comm),
                    watchdog_for(settings, rank_)},
      regions(config.predictor, compare_clocks(comm), rank_),
      journal(keeps_journal ? std::make_unique<Journal>(
                                  Journal::Process{begin_of(comm), rank_, size_}, shared_clock())
                            : nullptr),
      twins(comm, forget_freed, keeps_journal),
      negotiation(comm, config, calibration, daemon, daemon_everywhere, circumstances.crowd, twins,
                  regions),
      rest([this] {
        if (background_) background_->wake();
      }),
      records(config.live || config.watchdog_auto, journal.get(), twins, regions),
      following(config, circumstances, forced, negotiation, twins, regions, records, rest),
      runs(config, negotiation, regions),
      calls(config, circumstances, forced, negotiation, records, rest, following, runs),
      requests(twins, rest, following, calls),
      rounds(config, circumstances, negotiation, twins, regions, rest, following, runs, calls,
             requests, failure) {
  spdlog::set_level(spdlog::level::from_str(config.log));
  if (rank_ == 0 && config.calibration != cache_setting)
    warn_of_other_ranks(calibration, config.calibration, size_);
  if (rank_ == 0 && clock_info().hardware_counters == 0)
    spdlog::info("PAPI offers no hardware counters here: instructions and cycles are not recorded");
  const double budget_s = calibration.messages.empty() ? calibration_budget_s(config) : 0.0;
  if (budget_s > 0.0 && size_ > 1)
    calibration = measured_in_passing(comm, config, circumstances.crowd, budget_s);
  open_local();
  if (Twin* own = twin(comm, begun_by)) {
    open_messages(*own, comm, begun_by);
    Locked locked = lock();
    following.expect_on(locked, regions.default_region(), *own);
  }
  if (!daemon) return;
  background_ = std::make_unique<Background>(
      [this] {
        Locked locked = lock();
        return rounds.progress(locked, By::daemon);
      },
      [this](int code) {
        failure = code;
        drop_settled();
      },
      config.daemon_core);
}

/// What the parts are made from; collective.
void Session::begin(MPI_Comm comm) {
  check(PMPI_Comm_rank(comm, &rank_));
  check(PMPI_Comm_size(comm, &size_));
  refuse_unlike(comm, config);
  agree_on_settings(comm, [&] {
    use_setting("PAT_ALG", config.algorithms, [&] { forced.parse(config.algorithms); });
    use_setting("PAT_PREDICTOR", config.predictor, [&] { make_predictor(config.predictor); });
  });
}

std::unique_ptr<Locked> Session::lock_within(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!mutex_.try_lock()) {
    if (std::chrono::steady_clock::now() > until) return nullptr;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::unique_ptr<Locked>(new Locked(mutex_, std::adopt_lock));
}

void Session::stop_background() {
  if (background_) background_->stop();
}

void Session::keep_costs() {
  if (!keeps_costs(config)) return;
  std::vector<Calibration::Learnt> learnt;
  {
    Locked locked = lock();
    following.take_events(locked);
    for (const auto& [id, twin] : twins.all(locked))
      for (const auto& stream : twin->streams())
        if (stream->judge)
          for (auto& one : stream->judge->learnt()) learnt.push_back(std::move(one));
  }
  detail::keep_costs(negotiation.communicator(), calibration, std::move(learnt));
}

void Session::meet() {
  Arguments here;
  here.function = ended_by;
  const Watchdog::Watch present(watchdog(), here, {}, Watchdog::Says::nothing);
  Locked locked = lock();
  negotiation.meet(locked);
}

void Session::leave() {
  stop_background();
  Locked locked = lock();
  negotiation.say_farewell(locked);
}

void Session::close() {
  stop_background();  // from here on this thread is alone
  {
    Locked locked = lock();
    following.take_events(locked);
    negotiation.drain(locked);
    requests.give_up_all(locked);
  }
  Twins::detach_all();
  Locked locked = lock();
  while (!twins.all(locked).empty())  // freed by the user, kept by requests
    requests.forget(locked, *twins.all(locked).begin()->second);
  while (twins.any_departing(locked)) {
    twins.advance_departures(locked);
    locked.without([] { sched_yield(); });
  }
  close_wide_sums();
  close_local();
}

Twin* Session::twin(MPI_Comm comm, const char* function) {
  if (Twin* known = Twins::attached(comm)) return known;
  auto ranks = twins.session_ranks(comm);
  if (!ranks) return nullptr;
  note_maker();
  assemble(comm, function);
  auto made = twins.make(comm, std::move(*ranks));
  Locked locked = lock();
  return &twins.add(locked, comm, std::move(made));
}

void Session::note_maker() {
  if (thread_multiple && thread_id() != first_thread_) others_make_ = true;
}

bool Session::open_messages(Twin& twin, MPI_Comm comm, const char* function, const Call* call) {
  if (twin.has_messages() || twin.forgoes_messages()) return false;
  note_maker();
  Arguments here;
  here.function = function;
  CallPlace place{.communicator = twin.id()};
  if (call != nullptr) place = place_of(*call);
  place.is_to_come = true;
  const Watchdog::Watch present(watchdog(), call != nullptr ? call->arguments : here, place,
                                Watchdog::Says::nothing);
  assemble(comm, function);
  const Watchdog::Watch making(watchdog(), here);
  if (may_make_communicators(twin, comm))
    twin.open_messages(comm);
  else
    twin.forgo_messages();
  return true;
}

/// Communicators of part of the processes, made by several threads at a time, can wait for each
/// other for ever in MPI libraries that number them in turn (Open MPI 4.1, ompi_comm_nextcid()): a
/// group may be behind with one that the other group has. Collective over `comm`.
bool Session::may_make_communicators(const Twin& twin, MPI_Comm comm) {
  if (twin.size() == size_ || twin.has_short_circle()) return true;
  int others_make = others_make_;
  check(PMPI_Allreduce(MPI_IN_PLACE, &others_make, 1, MPI_INT, MPI_MAX, comm));
  return others_make == 0;
}

/// Between two groups a barrier says that the other one has come. When that has passed the second,
/// it had passed the first, for which all of this one had come.
void Session::assemble(MPI_Comm comm, const char* function) {
  int is_inter = 0;
  check(PMPI_Comm_test_inter(comm, &is_inter));
  wait_for_all(comm, function);
  if (is_inter) wait_for_all(comm, function);
}

/// A barrier on the program's communicator, on which PAT begins all calls in the program's order.
void Session::wait_for_all(MPI_Comm comm, const char* function) {
  const std::int64_t since_ns = now_ns();
  Patience patience(config.watchdog_s);
  Arguments here;
  here.function = function;
  const Watchdog::Watch present(watchdog(), here, {}, Watchdog::Says::nothing);
  MPI_Request barrier = MPI_REQUEST_NULL;
  check(PMPI_Ibarrier(comm, &barrier));
  for (int attempt = 0;; ++attempt) {
    int done = 0;
    check(PMPI_Test(&barrier, &done, MPI_STATUS_IGNORE));
    if (done) return;
    {
      Locked locked = lock();
      rounds.progress(locked, By::caller);
    }
    pause(attempt);
    const double waited_s = seconds(now_ns() - since_ns);
    if (patience.ends(waited_s))
      spdlog::critical(
          "{} on rank {} has waited {:.1f} s: for all to come to the call, which makes "
          "a communicator",
          function, rank_, waited_s);
  }
}

void Session::note_when_full(const ProgressEvent& event, bool may_drop) {
  if (may_drop && Regions::region_of(event).forecast_wanted()) {  // somebody is about to come
    regions.dropped_events.fetch_add(1, std::memory_order_relaxed);
    if (background_) background_->wake();
    return;
  }
  Locked locked = lock();
  do following.take_events(locked);
  while (!regions.push(event));
}

void Session::go_on_without_daemon(std::int64_t now_ns) {
  if (now_ns < rest.until_ns() || !is_main_thread()) return;
  Locked locked = lock();
  rounds.progress(locked, By::caller);
}

}  // namespace pat::detail
