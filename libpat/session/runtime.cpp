#include "libpat/session/runtime.hpp"

#include <sched.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "libpat/agreement/choice.hpp"
#include "libpat/agreement/pace.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/clock_sync.hpp"
#include "libpat/mpi/load_calibration.hpp"
#include "libpat/mpi/local.hpp"
#include "libpat/mpi/thread.hpp"
#include "libpat/report/report.hpp"
#include "libpat/session/attributes.hpp"
#include "libpat/session/daemon.hpp"

namespace pat {
namespace {

/// A decision is due this long before the first predicted arrival: time to travel.
constexpr std::int64_t margin_ns = 400'000;
/// Most pieces that a block is cut into for the sake of PAT_Pready.
constexpr int most_pieces = 100;

/// Most settled calls in a row: then one comes by and handles their events.
constexpr std::uint32_t most_events_of_calls = 64;

/// Gaps are learnt from no more often than this: models take microseconds, and calls may follow
/// each other as fast.
constexpr std::int64_t gap_learning_ns = 1'000'000;

LinkCost scaled(LinkCost cost, double factor) {
  cost.alpha_s *= factor;
  cost.beta_s_per_byte *= factor;
  cost.gamma_s_per_byte *= factor;
  return cost;
}

/// Rounds take as long as was measured of the algorithm: a schedule planned for shorter ones falls
/// behind its plan and then waits in the wrong places.
LinkCost slower(const LinkCost& cost, double correction) {
  constexpr double most = 10.0;
  return scaled(cost, std::clamp(correction, 1.0, most));
}

/// The cost with which a round of such messages takes `round_s`.
LinkCost with_round(const LinkCost& cost, double bytes, double round_s) {
  const double modelled_s = cost.round_s(bytes);
  return modelled_s > 0.0 ? scaled(cost, round_s / modelled_s) : LinkCost{round_s, 0.0, 0.0};
}

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

/// When a phase or gap that began at `start_ns` will have lasted as long as is predicted; 0, which
/// stands for unknown, if the prediction is no time that could be meant.
std::int64_t predicted_ns(std::int64_t start_ns, double duration_s) {
  constexpr double longest_s = 1e7;
  if (!(duration_s >= 0.0 && duration_s <= longest_s)) return 0;
  return start_ns + static_cast<std::int64_t>(duration_s * 1e9);
}

/// Whether early data can land before the call says what it is: where it is only moved, and how
/// much of it there is does not vary.
bool moves_plain_bytes(const Stream& stream) {
  return !stream.signature.varying && row(stream.signature.operation).lands_early;
}

/// "gather=bsls,reduce=auto" into `chosen`.
void parse_algorithms(const std::string& text,
                      std::array<const Algorithm*, operation_count>& chosen) {
  std::istringstream pairs(text);
  for (std::string pair; std::getline(pairs, pair, ',');) {
    const std::size_t equals = pair.find('=');
    const auto operation = find_operation(pair.substr(0, equals));
    if (equals == std::string::npos || !operation)
      throw Error(ErrorKind::config,
                  "'" + pair + "' is no pair operation=name such as gather=bsls, write these");
    chosen[static_cast<int>(*operation)] = chosen_algorithm(*operation, pair.substr(equals + 1));
  }
}

}  // namespace

const Algorithm* chosen_algorithm(Operation operation, const std::string& name) {
  if (name == "auto") return nullptr;
  if (const Algorithm* algorithm = find_algorithm(operation, name)) return algorithm;
  throw Error(ErrorKind::argument, "there is no " + std::string(pat::name(operation)) +
                                       " algorithm named '" + name + "', choose one of auto, " +
                                       algorithm_names(operation));
}

void use_setting(const std::string& name, const std::string& value,
                 const std::function<void()>& use) {
  try {
    use();
  } catch (const Error& error) {
    throw Error(ErrorKind::config, name + " is '" + value + "': " + error.what());
  }
}

void agree_on_settings(MPI_Comm comm, const std::function<void()>& check_settings) {
  std::string problem;
  try {
    check_settings();
  } catch (const std::exception& error) {  // of any kind: the others wait below
    problem = error.what();
    if (problem.empty()) problem = "the settings cannot be read";
  }
  int mine = problem.empty() ? 0 : 1, any = 0;
  check(PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm));
  if (mine) throw Error(ErrorKind::config, problem);
  if (any)
    throw Error(ErrorKind::config,
                "another process has a setting that PAT cannot use, see its message");
}

std::unique_ptr<Runtime>& Runtime::instance() {
  static std::unique_ptr<Runtime> session;
  return session;
}

Runtime& Runtime::get(const char* call) {
  Runtime* runtime = instance().get();
  if (runtime == nullptr)
    throw Error(ErrorKind::order,
                std::string(call) + " was called while PAT is not running, call PAT_Init first");
  return *runtime;
}

Runtime::Runtime(MPI_Comm comm, const Config& settings, bool daemon)
    : config(settings), calibration(load_calibration(comm, settings)), daemon_on_(daemon) {
  check(PMPI_Comm_rank(comm, &rank_));
  check(PMPI_Comm_size(comm, &size_));
  agree_on_settings(comm, [&] {
    use_setting("PAT_ALG", config.algorithms,
                [&] { parse_algorithms(config.algorithms, chosen_); });
    use_setting("PAT_PREDICTOR", config.predictor, [&] { make_predictor(config.predictor); });
    if (rank_ == 0) check_outputs(config);  // it is the one that writes them
  });
  spdlog::set_level(spdlog::level::from_str(config.log));
  if (rank_ == 0) warn_of_other_ranks(calibration, config.calibration, size_);
  int wanted = !config.trace.empty() || !config.report.empty(), anywhere = 0;
  check(PMPI_Allreduce(&wanted, &anywhere, 1, MPI_INT, MPI_MAX, comm));
  records_calls = anywhere != 0;
  offset_ns_ = clock_offset_ns(comm);
  open_local();
  control_ = std::make_unique<Control>(
      comm,
      Control::Handlers{[this](int from, const Report& r) { take_report(from, r, false); },
                        [this](int from, const Report& r) { take_report(from, r, true); },
                        [this](const Decision& d) { take_decision(d); }},
      config.disturb);
  regions_.push_back(std::make_unique<RegionState>(0, "default", nullptr, config.predictor));
  default_region_ = regions_.front().get();
  default_region_->communicator = communicator(comm);
  if (rank_ == 0 && clock_info().hardware_counters == 0)
    spdlog::info("PAPI offers no hardware counters here: instructions and cycles are not recorded");
  if (daemon) daemon_ = std::make_unique<Daemon>(*this, config.daemon_core);
}

Runtime::~Runtime() {
  // A program may still hold handles of its regions: what they point to stays, and is refused.
  static std::vector<std::unique_ptr<RegionState>> regions_of_the_past;
  for (auto& region : regions_) {
    region->free();
    regions_of_the_past.push_back(std::move(region));
  }
}

void Runtime::stop_daemon() {
  if (daemon_) daemon_->stop();
}

double Runtime::daemon_cpu_s() const {
  return daemon_ ? daemon_->cpu_s() : 0.0;
}
double Runtime::daemon_moving_cpu_s() const {
  return daemon_ ? daemon_->moving_cpu_s() : 0.0;
}

void Runtime::close() {
  stop_daemon();  // from here on this thread is alone
  handle_events();
  control_->drain();
  for (const auto& request : requests_)
    if (request->comm != nullptr) request->comm->give_up(std::move(request->execution));
  requests_.clear();
  detach_all();
  while (!communicators_.empty()) remove(*communicators_.begin()->second);  // freed by the user
  while (!departures_.empty()) {
    advance_departures();
    sched_yield();
  }
  control_.reset();
  close_local();
}

// ---------------------------------------------------------------- annotation

void Runtime::start(RegionState& region, const char* call) {
  if (region.computing.exchange(true, std::memory_order_acq_rel))
    throw Error(ErrorKind::order, std::string(call) + " was called twice for region '" +
                                      region.name + "', end the computing phase first");
  region.counters.start();
  push({now_ns(),
        {{0.0f, region.iteration.load(std::memory_order_relaxed), region.id}},
        ProgressEvent::Kind::start},
       false);
  if (!daemon_on_)
    progress_without_daemon();
  else if (!resting_.load(std::memory_order_relaxed))
    wake_daemon();
}

void Runtime::wake_daemon() {
  if (daemon_) daemon_->wake();
}

void Runtime::edge(RegionState& region, double fraction, const char* call) {
  if (!(fraction > 0.0 && fraction < 1.0))
    throw Error(ErrorKind::argument, std::string(call) + " got the fraction " +
                                         std::to_string(fraction) +
                                         ", give one above 0 and below 1");
  if (!region.computing.load(std::memory_order_acquire))
    throw Error(ErrorKind::order, std::string(call) +
                                      " was called outside a computing phase of region '" +
                                      region.name + "', start one first");
  push({now_ns(),
        {{static_cast<float>(fraction), region.iteration.load(std::memory_order_relaxed),
          region.id}},
        ProgressEvent::Kind::edge},
       true);
  if (!daemon_on_) progress_without_daemon();
}

void Runtime::end(RegionState& region, const char* call) {
  const std::int64_t now = now_ns();
  if (!region.computing.exchange(false, std::memory_order_acq_rel))
    throw Error(ErrorKind::order, std::string(call) +
                                      " was called outside a computing phase of region '" +
                                      region.name + "', start one first");
  region.counters.stop();
  region.instructions += region.counters.instructions();
  region.cycles += region.counters.cycles();
  push({now,
        {{1.0f, region.iteration.fetch_add(1, std::memory_order_relaxed), region.id}},
        ProgressEvent::Kind::end},
       false);
  if (!daemon_on_) progress_without_daemon();
}

void Runtime::hint(RegionState& region, const std::string& name, double value, const char* call) {
  if (name.find_first_not_of(" \t\n\v\f\r") == std::string::npos || !std::isfinite(value))
    throw Error(ErrorKind::argument, std::string(call) + " got '" + name +
                                         "' = " + std::to_string(value) +
                                         ", give a name and a finite value");
  const std::lock_guard lock(mutex);
  handle_events();
  region.learn();
  for (auto& known : region.hints)
    if (known.first == name) known.second = value;
  const bool is_new = std::none_of(region.hints.begin(), region.hints.end(),
                                   [&](const auto& known) { return known.first == name; });
  if (is_new) region.hints.emplace_back(name, value);
  region.model->observe_hint(name, value);
  region.forecast = region.model->forecast();
  if (daemon_on_ && region.is_computing()) report_forecast(region);
}

void Runtime::push(const ProgressEvent& event, bool may_drop) {
  if (events_.push(event)) return;
  if (may_drop) {
    dropped_events.fetch_add(1, std::memory_order_relaxed);
    wake_daemon();
    return;
  }
  const std::lock_guard lock(mutex);
  do handle_events();
  while (!events_.push(event));
}

void Runtime::progress_without_daemon() {
  if (!is_main_thread()) return;
  const std::lock_guard lock(mutex);
  progress();
}

bool Runtime::next_event(std::int64_t until_ns) {
  if (!event_waits_) event_waits_ = events_.pop(event_);
  if (!event_waits_ || event_.time_ns > until_ns) return false;
  event_waits_ = false;
  return true;
}

void Runtime::handle_events() {
  while (next_event(std::numeric_limits<std::int64_t>::max()))
    if (RegionState* region = take(event_); region != nullptr && daemon_on_)
      report_forecast(*region);
}

RegionState* Runtime::take(const ProgressEvent& event) {
  if (event.kind != ProgressEvent::Kind::call) {
    RegionState* region = regions_[event.progress.region].get();
    return region->take(event) ? region : nullptr;
  }
  const auto found = communicators_.find(event.call.communicator);
  if (found == communicators_.end()) return nullptr;
  Stream* stream = found->second->by_id(event.call.stream);
  if (stream != nullptr) {
    ++stream->tally.calls_by_algorithm["mpi"];
    ++stream->next_call;
    ++stream->tally.settled_calls;
  }
  count_call(*found->second, stream, event.time_ns,
             event.time_ns + static_cast<std::int64_t>(event.call.duration_s * 1e9));
  return nullptr;
}

void Runtime::handle_events_until(std::int64_t arrival_ns) {
  std::set<RegionState*> changed;
  while (next_event(arrival_ns))
    if (RegionState* region = take(event_)) changed.insert(region);
  for (RegionState* region : changed)
    if (daemon_on_) report_forecast(*region);
}

// ---------------------------------------------------------------- regions and communicators

RegionState& Runtime::region(void* handle, const char* call) {
  RegionState& region = handle == nullptr ? *default_region_ : *static_cast<RegionState*>(handle);
  if (!region.alive)
    throw Error(ErrorKind::argument, std::string(call) + " got region '" + region.name +
                                         "', which was freed, create one with PAT_Region_create");
  return region;
}

RegionState* Runtime::create_region(MPI_Comm comm, const std::string& name) {
  Communicator* twin = communicator(comm);
  if (twin == nullptr)
    throw Error(ErrorKind::argument,
                "the communicator of region '" + name +
                    "' is not part of the session's, start PAT on a larger one");
  const std::lock_guard lock(mutex);
  regions_.push_back(std::make_unique<RegionState>(static_cast<std::uint32_t>(regions_.size()),
                                                   name, twin, config.predictor));
  return regions_.back().get();
}

void Runtime::set_predictor(RegionState& region, const std::string& predictor) {
  if (region.computing)
    throw Error(ErrorKind::order,
                "PAT_Region_predictor was called inside a computing phase of region '" +
                    region.name + "', end it first");
  auto model = make_predictor(predictor);
  const std::lock_guard lock(mutex);
  handle_events();  // those of the past belong to the model that goes
  region.model = std::move(model);
  region.unlearnt.reset();
  region.forecast = {};
}

void Runtime::free_region(RegionState& region) {
  if (region.computing)
    throw Error(ErrorKind::order,
                "PAT_Region_free was called inside a computing phase of region '" + region.name +
                    "', end it first");
  const std::lock_guard lock(mutex);
  handle_events();
  region.free();  // the slot stays: events carry its index
}

Communicator* Runtime::communicator(MPI_Comm comm) {
  if (Communicator* known = attached(comm)) return known;
  int is_inter = 0;
  check(PMPI_Comm_test_inter(comm, &is_inter));
  if (is_inter) return nullptr;
  MPI_Group mine = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  check(PMPI_Comm_group(comm, &mine));
  check(PMPI_Comm_group(control_->communicator(), &all));  // the user may have freed comm
  int size = 0;
  check(PMPI_Group_size(mine, &size));
  std::vector<int> ranks(static_cast<std::size_t>(size)), session_ranks(ranks.size());
  for (int r = 0; r < size; ++r) ranks[static_cast<std::size_t>(r)] = r;
  check(PMPI_Group_translate_ranks(mine, size, ranks.data(), all, session_ranks.data()));
  PMPI_Group_free(&mine);
  PMPI_Group_free(&all);
  if (std::find(session_ranks.begin(), session_ranks.end(), MPI_UNDEFINED) != session_ranks.end())
    return nullptr;
  const std::uint32_t name = communicators_named_++ * static_cast<std::uint32_t>(size_) +
                             static_cast<std::uint32_t>(rank_);
  auto twin = std::make_unique<Communicator>(comm, std::move(session_ranks), name);
  Communicator* result = twin.get();
  {
    const std::lock_guard lock(mutex);
    communicators_[twin->id()] = std::move(twin);
  }
  attach(comm, *result);
  return result;
}

void Runtime::forget(Communicator& gone) {
  const std::lock_guard lock(mutex);
  handle_events();
  bool has_requests = false;  // they outlive the user's communicator, and so does its twin
  for (const auto& request : requests_) {
    if (request->comm != &gone) continue;
    request->user_comm = MPI_COMM_NULL;
    has_requests = true;
  }
  gone.orphaned = has_requests;  // the last of them takes it along
  if (has_requests)
    forget_what_follows(gone);
  else
    remove(gone);
}

void Runtime::forget_what_follows(const Communicator& gone) {
  for (const auto& region : regions_) {
    if (region->next_communicator == &gone) {
      region->next_call.reset();
      region->next_request = nullptr;
      region->next_communicator = nullptr;
    }
    if (region->communicator == &gone) region->communicator = nullptr;
  }
  if (last_communicator_ == &gone) {
    last_communicator_ = nullptr;
    last_stream_ = nullptr;
  }
}

void Runtime::remove(Communicator& gone) {
  forget_what_follows(gone);  // an orphan's requests were made use of since
  const auto found = communicators_.find(gone.id());
  forgotten_.insert(gone.id());
  for (const auto& stream : gone.streams())
    if (records_calls) freed_tallies_[tally_key(gone, *stream)].add(final_tally(gone, *stream));
  departures_.push_back(std::make_unique<Departure>(std::move(found->second)));
  communicators_.erase(found);
  wake_daemon();
}

void Runtime::advance_departures() {
  std::erase_if(departures_, [](const auto& departure) { return departure->advance(); });
}

// ---------------------------------------------------------------- reports and decisions

const Algorithm* Runtime::algorithm_for(const CallSignature& signature) const {
  const Algorithm* algorithm = chosen(signature.operation);
  return algorithm == nullptr ? nullptr : &fit_for(signature, *algorithm, config.reproducible);
}

Stream* Runtime::expected_stream(const RegionState& region) const {
  if (region.next_request != nullptr) return region.next_request;
  if (!region.next_call || region.next_communicator == nullptr) return nullptr;
  return region.next_communicator->find(*region.next_call, algorithm_for(*region.next_call));
}

bool Runtime::needs_report(const Stream& stream, std::uint32_t call) const {
  if (call == 0) return false;
  const auto decision = stream.decision_for(call);
  return decision == nullptr || decision->live;
}

bool Runtime::is_settled(const Stream* stream) const {
  if (stream == nullptr || stream->background) return false;
  const auto decision = stream->decision_for(stream->next_call);
  return decision != nullptr && !decision->live && !decision->chosen().background;
}

/// All calls that are expected are settled, and nothing that this process leads is open: a call may
/// be asked for before it is this process's next one, by those who run ahead.
bool Runtime::may_rest() const {
  if (!requests_.empty() || !departures_.empty()) return false;
  if (last_stream_ == nullptr || !is_settled(last_stream_)) return false;
  for (const auto& region : regions_)
    if (region->alive && region->next_call && !is_settled(expected_stream(*region))) return false;
  for (const auto& [id, comm] : communicators_)
    for (const auto& stream : comm->streams())
      if (!leads_far_enough(*comm, *stream)) return false;
  return true;
}

/// Those who run ahead find their call decided.
bool Runtime::leads_far_enough(const Communicator& comm, const Stream& stream) {
  return comm.rank() != stream.leader_rank || stream.next_call == 0 ||
         stream.decided_until > stream.next_call + 1;
}

bool Runtime::leads() const {
  for (const auto& [id, comm] : communicators_)
    for (const auto& stream : comm->streams())
      if (comm->rank() == stream->leader_rank) return true;
  return false;
}

Forecast Runtime::forecast_of(const Stream& stream) const {
  const Forecast forecast = stream.region != nullptr ? stream.region->forecast
                            : stream.gap_model       ? stream.gap_model->forecast()
                                                     : Forecast{};
  return forecast_filter ? forecast_filter(forecast) : forecast;
}

Report Runtime::make_report(const Communicator& comm, const Stream& stream,
                            std::uint32_t call) const {
  Report report;
  report.communicator = comm.id();
  report.stream = stream.id;
  report.call = call;
  const Forecast forecast = forecast_of(stream);
  if (forecast.known) {
    report.forecast_s = static_cast<float>(forecast.mean_s);
    report.half_width_s = static_cast<float>(forecast.half_width_s());
  }
  return report;
}

Report Runtime::arrival_report(const Communicator& comm, const Stream& stream, std::uint32_t call,
                               std::int64_t arrival_ns) const {
  Report report = make_report(comm, stream, call);
  report.arrival_ns = arrival_ns + offset_ns_;
  report.flags = Report::arrived;
  return report;
}

void Runtime::report_forecast(RegionState& region) {
  Stream* stream = expected_stream(region);
  if (stream == nullptr || !region.is_computing()) return;
  stream->region = &region;
  const Forecast forecast = forecast_of(*stream);
  if (!forecast.known || !needs_report(*stream, stream->next_call)) return;
  Report report = make_report(*region.next_communicator, *stream, stream->next_call);
  report.arrival_ns = predicted_ns(region.record.start_ns + offset_ns_, forecast.mean_s);
  if (region.last_edge_seen()) report.flags |= Report::final;
  send_report(*region.next_communicator, *stream, report, false);
}

void Runtime::send_report(Communicator& comm, Stream& stream, const Report& report, bool ask) {
  const int leader = comm.session_rank(stream.leader_rank);
  if (leader == rank_) {
    apply_report(rank_, report, ask);
    return;
  }
  if (ask)
    control_->send_ask(leader, report);
  else
    control_->send_report(leader, report);
}

void Runtime::take_report(int from, const Report& report, bool ask) {
  if (!apply_report(from, report, ask)) waiting_.push_back({from, report, ask});
}

bool Runtime::apply_report(int from, const Report& report, bool ask) {
  const auto found = communicators_.find(report.communicator);
  if (found == communicators_.end()) return forgotten_.count(report.communicator) > 0;
  Communicator& comm = *found->second;
  Stream* stream = comm.by_id(report.stream);
  if (stream == nullptr) return false;
  if (!stream->leader)
    stream->leader =
        std::make_unique<Leader>(comm.size(), static_cast<std::uint32_t>(config.lease_max));
  stream->leader->take(comm.rank_of_session(from), report);
  if (ask && report.call >= stream->decided_until) decide(comm, *stream, stream->decided_until);
  return true;
}

void Runtime::take_decision(const Decision& decision) {
  const auto found = communicators_.find(decision.communicator);
  Stream* stream = found == communicators_.end() ? nullptr : found->second->by_id(decision.stream);
  if (stream == nullptr) {
    if (forgotten_.count(decision.communicator) == 0) waiting_decisions_.push_back(decision);
    return;
  }
  auto place = stream->decisions.end();  // in order of calls, whatever the messages did
  while (place != stream->decisions.begin() && (*std::prev(place))->first > decision.first) --place;
  stream->decisions.insert(place, std::make_shared<const Decision>(decision));
  if (stream->region != nullptr) {
    const std::uint64_t epoch = stream->region->pattern.epoch + 1;
    stream->region->pattern = decision.pattern();
    stream->region->pattern.epoch = epoch;
  }
}

Problem Runtime::problem_of(const Communicator& comm, const Stream& stream,
                            const Decision& decision) const {
  const CallSignature& signature = stream.signature;
  Problem problem;
  problem.operation = signature.operation;
  problem.ranks = comm.size();
  problem.root = signature.root;
  problem.units = signature.block_bytes / signature.unit_bytes;
  problem.unit_bytes = signature.unit_bytes;
  problem.commutative = signature.commutative;
  problem.counts = stream.counts;
  problem.segments = static_cast<int>(decision.segments);
  problem.variant = decision.variant;
  problem.window = static_cast<int>(decision.window);
  problem.cost = decision.cost;
  if (daemon_on_) problem.pause_s = seconds(pace::moving_pause_ns);
  return problem;
}

void Runtime::choose_by(const ArrivalPattern& pattern, const Communicator& comm, Stream& stream,
                        Decision& decision) const {
  const std::vector<RoundLength>& rounds = measured_rounds(config, calibration);
  const auto problem = [&] {
    Problem decided = problem_of(comm, stream, decision);
    decided.rounds = rounds;
    return decided;
  };
  decision.cost = link_cost(config, calibration, problem());
  const Selection choice = choose(problem(), pattern, config, calibration, stream.fixed,
                                  daemon_on_ && !stream.signature.varying, stream.prices);
  const Algorithm& algorithm = *choice.algorithm;
  decision.choose(stream.signature.varying ? for_varying_counts(algorithm) : algorithm);
  decision.segments = static_cast<std::uint32_t>(choice.segments);
  if (algorithm.tune != nullptr && config.segments > 0)
    decision.segments = static_cast<std::uint32_t>(config.segments);
  if (row(stream.signature.operation).parts_travel)  // finished parts travel on their own
    decision.segments = std::max(decision.segments,
                                 static_cast<std::uint32_t>(std::min(stream.parts, most_pieces)));
  decision.cost = slower(decision.cost, choice.correction);
  if (choice.window > 0) decision.window = static_cast<std::uint32_t>(choice.window);
  decision.live = algorithm.root_ordered;
  decision.reason = choice.reason;
  set_pattern(decision, pattern, choice.tick_s);
  if (algorithm.tune != nullptr && !decision.live) {
    const Tuning tuning = algorithm.tune(problem(), decision.pattern());
    decision.segments = static_cast<std::uint32_t>(tuning.segments);
    decision.variant = tuning.variant;
    if (!rounds.empty()) {  // what the others need to know of them
      const double bytes =
          static_cast<double>(stream.signature.block_bytes) / std::max(1, tuning.segments);
      decision.cost = with_round(decision.cost, bytes, length_of_round_s(rounds, bytes));
    }
  }
}

void Runtime::decide(Communicator& comm, Stream& stream, std::uint32_t call) {
  if (!stream.leader)
    stream.leader =
        std::make_unique<Leader>(comm.size(), static_cast<std::uint32_t>(config.lease_max));
  const auto undecided = [&] {
    Decision decision = first_decision(comm, stream);
    decision.communicator = comm.id();
    decision.stream = stream.id;
    decision.first = call;
    return decision;
  };
  Decision decision = undecided();
  const ArrivalPattern pattern = stream.leader->pattern(call);
  try {
    choose_by(pattern, comm, stream, decision);
  } catch (const Error& error) {  // no forecast and no cost may end the program
    if (stream.signature.persistent && stream.fixed != nullptr) throw;  // it cannot go to mpi
    decision = undecided();
    decision.choose(get_algorithm(stream.signature.operation, "mpi"));
    decision.reason = std::string("mpi: ") + error.what();
  }
  const Algorithm& algorithm = decision.chosen();
  decision.count = stream.leader->lease(
      decision, algorithm.uses_pattern && algorithm.protocol == nullptr,
      std::all_of(pattern.half_width_s.begin(), pattern.half_width_s.end(),
                  [](double half_width) { return std::isfinite(half_width); }));
  std::vector<int> others;
  for (int r = 0; r < comm.size(); ++r)
    if (r != comm.rank()) others.push_back(comm.session_rank(r));
  control_->send_decision(others, decision);
  stream.decided_until = call + decision.count;
  stream.tally.reasons.add(decision.reason, decision.count);
  spdlog::debug("{} on communicator {}, calls {} to {}: {}, segments {} ({})",
                name(stream.signature.operation), comm.id(), call, call + decision.count - 1,
                algorithm.name, decision.segments, decision.reason);
  take_decision(decision);
}

void Runtime::decide_what_is_due(Progress& progress) {
  const std::int64_t now = synchronised_now();
  for (const auto& [id, comm] : communicators_)
    for (const auto& stream : comm->streams()) {
      if (!stream->leader || stream->decided_until != stream->next_call) continue;
      const std::uint32_t call = stream->next_call;
      const auto first = stream->leader->first_arrival_ns(call);
      if (!first) continue;
      const std::int64_t due = *first - margin_ns;
      if (now >= due || stream->leader->complete(call))
        decide(*comm, *stream, call);
      else if (progress.urgent_ns == 0 || due - offset_ns_ < progress.urgent_ns)
        progress.urgent_ns = due - offset_ns_;
    }
}

// ---------------------------------------------------------------- background

Runtime::Progress Runtime::progress() {
  Progress progress;
  handle_events();
  progress.messages = control_->poll() > 0;
  advance_departures();
  std::vector<Waiting> waiting;
  waiting.swap(waiting_);
  for (const Waiting& message : waiting) take_report(message.from, message.report, message.ask);
  std::vector<Decision> decisions;
  decisions.swap(waiting_decisions_);
  for (const Decision& decision : decisions) take_decision(decision);
  decide_what_is_due(progress);
  for (const auto& region : regions_) {
    if (!in_call_) region->learn();
    if (!region->is_computing()) continue;
    progress.computing = true;
    Stream* stream = expected_stream(*region);
    if (stream != nullptr && !stream->signature.persistent)
      advance_early(*region->next_communicator, *stream, progress);
  }
  for (const auto& request : requests_) advance_request(*request, progress);
  if (!progress.computing && !in_call_ && last_stream_ != nullptr &&
      last_stream_->region == nullptr)
    advance_early(*last_communicator_, *last_stream_, progress);
  progress.resting = resting_ = may_rest();
  progress.leading = resting_ && leads();
  return progress;
}

bool Runtime::may_begin(const Communicator& comm, const Stream& stream, const Decision& decision,
                        std::uint32_t call, Progress& progress) const {
  if (!decision.live || !stream.leader) return true;
  const auto first = stream.leader->first_arrival_ns(call);
  if (first && (synchronised_now() >= *first - margin_ns || stream.leader->complete(call)))
    return true;
  int come = 0;
  check(PMPI_Iprobe(MPI_ANY_SOURCE, comm.tags(stream, call).announcement, comm.data(), &come,
                    MPI_STATUS_IGNORE));
  if (come) return true;
  if (first) {
    const std::int64_t due = *first - margin_ns - offset_ns_;
    if (progress.urgent_ns == 0 || due < progress.urgent_ns) progress.urgent_ns = due;
  }
  return false;
}

void Runtime::advance_early(Communicator& comm, Stream& stream, Progress& progress) {
  const std::uint32_t call = stream.next_call;
  if (!stream.background) {
    const auto decision = call == 0 ? nullptr : stream.decision_for(call);
    if (decision == nullptr || !decision->chosen().background || !moves_plain_bytes(stream)) return;
    if (!may_begin(comm, stream, *decision, call, progress)) return;
    const auto built = program(comm, stream, *decision, call);
    if (!stream.program.moves_early()) return;
    stream.background = std::make_unique<Execution>(built, comm.data(), comm.tags(stream, call),
                                                    config.scratch_bytes);
    ++stream.tally.background_calls;
  }
  note_moving(stream, stream.background->advance(), progress);
}

void Runtime::note_moving(Stream& stream, bool moved, Progress& progress) const {
  if (stream.motion.round(moved, now_ns())) progress.moving = true;
}

std::shared_ptr<const Program> Runtime::program(Communicator& comm, Stream& stream,
                                                const Decision& decision, std::uint32_t call) {
  const bool fresh = decision.live && stream.leader && call != 0;
  std::optional<ArrivalPattern> latest;
  if (fresh) latest = stream.leader->pattern(call);
  const ArrivalPattern* known = latest ? &*latest : nullptr;
  if (!stream.signature.varying)
    if (auto kept = stream.program.find(decision, known)) return kept;
  Problem problem = problem_of(comm, stream, decision);
  problem.only_rank = comm.rank();
  return stream.program.get(problem, decision, known);
}

// ---------------------------------------------------------------- calls

Runtime::Ticket Runtime::arrive(Communicator& comm, Stream& stream, std::int64_t arrival_ns) {
  std::unique_lock lock(mutex);
  // Where all is decided the models can wait until the call is over.
  if (!daemon_on_ || stream.settled.calls != stream.next_call || !is_settled(&stream))
    handle_events();
  in_call_ = true;
  Ticket ticket;
  ticket.call = stream.next_call;
  if (ticket.call == 0) {
    ticket.decision = std::make_shared<const Decision>(first_decision(comm, stream));
  } else {
    const bool leader = comm.rank() == stream.leader_rank;
    const std::int64_t wait_begin = now_ns();
    auto& decision = ticket.decision = stream.decision_for(ticket.call);
    if (decision == nullptr) control_->poll(), decision = stream.decision_for(ticket.call);
    if (decision == nullptr) ask_for_decision(comm, stream, ticket.call, arrival_ns);
    for (int attempt = 0; (decision = stream.decision_for(ticket.call)) == nullptr; ++attempt) {
      if (leader) {
        decide(comm, stream, ticket.call);
        continue;
      }
      lock.unlock();
      pause(attempt);
      lock.lock();
      progress();
      check(failure);
    }
    const double waited_s = seconds(now_ns() - wait_begin);
    Tally& tally = stream.tally;
    tally.waited_for_decision_s += waited_s;
    tally.longest_decision_wait_s = std::max(tally.longest_decision_wait_s, waited_s);
    stream.drop_decisions_before(ticket.call);
  }
  ticket.execution = std::move(stream.background);
  stream.settled.calls = ++stream.next_call;
  if (!daemon_on_) report_without_daemon(comm, stream, *ticket.decision, ticket.call, arrival_ns);
  return ticket;
}

Decision Runtime::first_decision(const Communicator& comm, const Stream& stream) const {
  Decision decision;
  decision.choose(stream.fixed ? *stream.fixed : get_algorithm(stream.signature.operation, "mpi"));
  decision.window = static_cast<std::uint32_t>(config.window);
  decision.count = 1;
  set_pattern(decision, ArrivalPattern::flat(comm.size()));
  return decision;
}

void Runtime::ask_for_decision(Communicator& comm, Stream& stream, std::uint32_t call,
                               std::int64_t arrival_ns) {
  send_report(comm, stream, arrival_report(comm, stream, call, arrival_ns), true);
}

/// The report goes out on entering, and so does the decision for the next call. A process reports
/// when its lease ends here, also if the leader has already decided on.
void Runtime::report_without_daemon(Communicator& comm, Stream& stream, const Decision& decision,
                                    std::uint32_t call, std::int64_t arrival_ns) {
  if (!decision.live && decision.covers(call + 1)) return;
  if (stream.region != nullptr) stream.region->learn();
  send_report(comm, stream, arrival_report(comm, stream, call, arrival_ns), false);
  control_->poll();
  if (comm.rank() == stream.leader_rank && stream.decided_until == stream.next_call)
    decide(comm, stream, stream.next_call);
}

void Runtime::abandon_call() {
  const std::lock_guard lock(mutex);
  in_call_ = false;
}

void Runtime::leave(Communicator& comm, Stream* stream, std::int64_t arrival_ns) {
  const std::lock_guard lock(mutex);
  in_call_ = false;
  handle_events_until(arrival_ns);
  count_call(comm, stream, arrival_ns, now_ns());
  if (stream == nullptr) {
    Settled& settled = comm.settled_without_stream;
    settled.until = ++settled.calls + most_events_of_calls;
    return;
  }
  stream->settled.until = settled_until(comm, *stream);
  if (resting_ && !(is_settled(stream) && leads_far_enough(comm, *stream))) wake_daemon();
}

void Runtime::note_call(std::uint32_t communicator, std::uint32_t stream, std::int64_t arrival_ns) {
  ProgressEvent event{arrival_ns, {}, ProgressEvent::Kind::call};
  event.call = {static_cast<float>(seconds(now_ns() - arrival_ns)), communicator, stream};
  push(event, false);
}

/// The calls of a lease that is the library's, but for the last: before the lease ends the process
/// must come by, and the leader earlier, for those who run ahead.
std::uint32_t Runtime::settled_until(const Communicator& comm, const Stream& stream) const {
  const auto decision = stream.decision_for(stream.next_call);
  if (decision == nullptr || decision->live || !is_library(decision->chosen())) return 0;
  const std::uint32_t last = comm.rank() == stream.leader_rank ? 2 : 1;
  return std::min(decision->first + decision->count - std::min(decision->count, last),
                  stream.next_call + most_events_of_calls);
}

void Runtime::count_call(Communicator& comm, Stream* stream, std::int64_t arrival_ns,
                         std::int64_t exit_ns) {
  RegionState* region = phase_before_call(arrival_ns, exit_ns);
  if (records_calls) comm.calls.push_back(record_of(region, stream, arrival_ns));
  if (stream == nullptr) {
    ++static_calls;
    return;
  }
  stream->tally.in_call_s += seconds(exit_ns - arrival_ns);
  learn_what_followed(comm, *stream, region, arrival_ns);
  expect_next_call(comm, *stream, exit_ns);
  last_stream_ = stream;
  last_communicator_ = &comm;
}

RegionState* Runtime::phase_before_call(std::int64_t arrival_ns, std::int64_t exit_ns) {
  RegionState* region = nullptr;  // the one whose phase ended last since the call before
  for (const auto& candidate : regions_)
    if (candidate->record.end_ns != 0 && candidate->record.end_ns <= arrival_ns &&
        candidate->record.exit_ns == 0 &&
        (region == nullptr || candidate->record.end_ns > region->record.end_ns))
      region = candidate.get();
  if (region == nullptr) return nullptr;
  region->record.arrival_ns = arrival_ns;
  region->record.exit_ns = exit_ns;
  return region;
}

Communicator::Call Runtime::record_of(const RegionState* region, const Stream* stream,
                                      std::int64_t arrival_ns) const {
  const std::int64_t arrival = arrival_ns + offset_ns_;
  if (region == nullptr) return {arrival, arrival, 0.0, nullptr, stream, {}};
  return {region->record.start_ns + offset_ns_,
          arrival,
          region->record.computing_s(),
          region,
          stream,
          region->last_hints};
}

void Runtime::learn_what_followed(Communicator& comm, Stream& stream, RegionState* region,
                                  std::int64_t arrival_ns) {
  stream.region = region;
  if (region != nullptr) {
    region->next_call = stream.signature;
    region->next_request = stream.signature.persistent ? &stream : nullptr;
    region->next_communicator = &comm;
    return;
  }
  learn_gap(stream, arrival_ns);
}

void Runtime::learn_gap(Stream& stream, std::int64_t arrival_ns) {
  if (!stream.gap_model) stream.gap_model = make_predictor(config.predictor);
  if (stream.last_exit_ns == 0 || arrival_ns - stream.gap_learnt_ns < gap_learning_ns) return;
  stream.gap_model->observe({seconds(arrival_ns - stream.last_exit_ns), {}});
  stream.gap_learnt_ns = arrival_ns;
}

void Runtime::expect_next_call(Communicator& comm, Stream& stream, std::int64_t exit_ns) {
  stream.last_exit_ns = exit_ns;
  if (stream.region != nullptr || !daemon_on_ || !needs_report(stream, stream.next_call)) return;
  const Forecast forecast = forecast_of(stream);
  if (!forecast.known) return;
  Report report = make_report(comm, stream, stream.next_call);
  report.arrival_ns = predicted_ns(exit_ns + offset_ns_, forecast.mean_s);
  send_report(comm, stream, report, false);
}

}  // namespace pat
