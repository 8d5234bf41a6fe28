#include "tools/bench/scenario.hpp"

#include <algorithm>

#include "collectives/operation_row.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "measure/collect.hpp"
#include "measure/must.hpp"
#include "tools/bench/schedule_time.hpp"

namespace pat::bench {

using namespace measure;

namespace {

/// The size of a pattern's delays, for the axis of a plot: its longest or its mean one, seconds.
double delay_of(const Delays& delays, const std::string& pattern) {
  const auto parts = split(pattern, ':');
  if (parts[0] == "uniform") return seconds_of(parts[1]);
  double sum = 0.0, longest = 0.0;
  constexpr int iterations = 100;
  for (int i = 0; i < iterations; ++i) {
    const auto delay_s = delays.at(static_cast<std::uint64_t>(i));
    for (const double delay : delay_s) sum += delay / static_cast<double>(delay_s.size());
    longest = std::max(longest, *std::max_element(delay_s.begin(), delay_s.end()));
  }
  const bool random = parts[0] == "normal" || parts[0] == "gamma" || parts[0] == "trace";
  return random ? sum / iterations : longest;
}

}  // namespace

std::vector<Form> forms(const Options& options, const std::string& algorithm) {
  std::vector<Form> all = {Form::plain};
  if (options.persistent && !calls_mpi(algorithm)) all.push_back(Form::persistent);
  if (options.parts > 0 && !calls_mpi(algorithm)) all.push_back(Form::parts);
  return all;
}

Scenario::Scenario(const Options& options, const Settings& settings, const GlobalClock& clock,
                   const std::string& operation, std::size_t bytes, const std::string& pattern,
                   MPI_Comm comm, const std::function<void(long)>& progress)
    : options_(options),
      settings_(settings),
      clock_(clock),
      comm_(comm),
      pattern_(pattern),
      functions_(find_collective(operation)) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks_);
  delays_ = make_delays(pattern, {ranks_, std::max(0, settings.root), options.seed});
  if (settings.error_s > 0.0)
    errors_ = make_delays("uniform:" + std::to_string(2.0 * settings.error_s) + "s",
                          {ranks_, 0, options.seed + 1});
  if (row(functions_.operation).combines)
    op_ = std::make_unique<ReduceOp>(options.reduce_op, settings.type);
  const auto workload_of = [&](std::size_t size) {
    if (options.per_rank) size *= static_cast<std::size_t>(ranks_);
    return std::make_unique<Workload>(functions_.operation, size, settings.type, op_.get(),
                                      options.seed, comm);
  };
  workload_ = workload_of(bytes);
  for (const std::size_t size : settings.beside) beside_.push_back(workload_of(size));
  for (const auto& algorithm : settings.algorithms)
    for (const Form form : forms(options, algorithm)) {
      const Entry entry{algorithm, false, form};
      plan_.entries.push_back(entry);
      if (options.absorption) plan_.entries.push_back({algorithm, true, form});
      auto& own = comms_[entry.label()] = std::make_unique<OwnCommunicator>(workload_->comm());
      if (is_told(algorithm))
        regions_[entry.label()] =
            std::make_unique<RegionGuard>(own->get(), operation + " " + entry.label());
    }
  plan_.warmup = options.warmup;
  plan_.iterations = options.iterations;
  plan_.block = options.block;
  plan_.lateness_limit_s = settings.lateness_limit_s;
  if (rank_ == 0)
    for (const Entry& entry : plan_.entries)
      series_.push_back(entry.balanced ? Series() : empty_series(entry));
  engine_ = std::make_unique<Engine>(plan_, hooks(progress));
}

bool Scenario::run() {
  engine_->run();
  return engine_->stopped();
}

void Scenario::append_to(std::vector<Series>& all) const {
  const auto measured = engine_->measured();
  for (std::size_t e = 0; e < series_.size(); ++e) {
    if (plan_.entries[e].balanced) {
      for (const auto& sample : measured[e].samples)
        all.back().balanced_run_s.push_back(sample.run_s);
      continue;
    }
    Series& series = all.emplace_back(series_[e]);
    series.samples = measured[e].samples;
    series.dropped = measured[e].dropped;
  }
}

Hooks Scenario::hooks(const std::function<void(long)>& progress) {
  Hooks hooks;
  hooks.prepare = [this](const Entry& entry, std::uint64_t i) { prepare(entry, i); };
  hooks.synchronise = [this] { synchronise(); };
  hooks.compute = [this](const Entry& entry, std::uint64_t i, RankTimes& t) {
    compute(entry, i, t);
  };
  hooks.operate = [this](const Entry& entry) { operate(entry); };
  hooks.check = [this](const Entry&, std::uint64_t) {
    return wrong_beside_ ? wrong_beside_ : workload_->check();
  };
  hooks.now_s = [this] { return clock_.now_s(); };
  hooks.collect = [this](RankTimes times, const std::optional<std::string>& wrong) {
    // In dilated time all clocks run slower.
    times.start_s /= options_.dilate;
    times.arrival_s /= options_.dilate;
    times.exit_s /= options_.dilate;
    return collect(times, wrong, comm_);
  };
  hooks.progress = progress;
  return hooks;
}

int Scenario::root_at(std::uint64_t iteration) const {
  return settings_.root < 0 ? static_cast<int>(iteration % static_cast<std::uint64_t>(ranks_))
                            : settings_.root;
}

void Scenario::prepare(const Entry& entry, std::uint64_t iteration) {
  workload_->prepare(iteration, root_at(iteration));
  call_ = workload_->call();
  call_.comm = comms_.at(entry.label())->get();
  if (!calls_mpi(entry.algorithm))
    must_or_abort(
        PAT_UseAlgName(std::string(name(functions_.operation)).c_str(), entry.algorithm.c_str()),
        "PAT_UseAlgName", comm_);
  for (const auto& other : beside_) call_beside(*other, entry, iteration);
  if (entry.form != Form::plain) requests_[entry.label()].make(functions_, call_, parts_of(entry));
}

/// A phase like the measured one, and a call of another size.
void Scenario::call_beside(Workload& other, const Entry& entry, std::uint64_t iteration) {
  other.prepare(iteration, root_at(iteration));
  Call call = other.call();
  call.comm = comms_.at(entry.label())->get();
  synchronise();
  RankTimes times;
  compute(entry, iteration, times);
  (calls_mpi(entry.algorithm) ? functions_.mpi : functions_.pat)(call);
  const auto wrong = other.check();
  if (wrong && !wrong_beside_) wrong_beside_ = "beside it, " + *wrong;
}

void Scenario::synchronise() {
  if (options_.sync == "barrier") {
    MPI_Barrier(comm_);
    MPI_Barrier(comm_);
    return;
  }
  MPI_Barrier(comm_);
  double opens_s = clock_.now_s() + settings_.window_s;
  MPI_Bcast(&opens_s, 1, MPI_DOUBLE, 0, comm_);
  clock_.sleep_until(opens_s);
}

int Scenario::parts_of(const Entry& entry) const {
  return entry.form == Form::parts ? options_.parts : 0;
}

double Scenario::delay_s(const Entry& entry, std::uint64_t iteration) const {
  if (entry.balanced) return 0.0;
  return delays_->at(iteration)[static_cast<std::size_t>(rank_)];
}

/// What the process says the phase will take: the truth, something near it, or the opposite.
double Scenario::told_s(const Entry& entry, std::uint64_t iteration, double planned_s) const {
  if (errors_)
    return planned_s + options_.dilate * (errors_->at(iteration)[static_cast<std::size_t>(rank_)] -
                                          settings_.error_s);
  if (options_.knowledge == "oracle" || entry.balanced) return planned_s;
  const auto all = delays_->at(iteration);
  const double longest = *std::max_element(all.begin(), all.end());
  const double own = all[static_cast<std::size_t>(rank_)];
  return planned_s + options_.dilate * (longest - 2.0 * own);
}

void Scenario::compute(const Entry& entry, std::uint64_t iteration, RankTimes& times) {
  const double planned_s = options_.dilate * (2.0 * settings_.base_s + delay_s(entry, iteration));
  times.planned_s = planned_s / options_.dilate;
  times.start_s = clock_.now_s();
  const PAT_Request request =
      entry.form != Form::plain ? requests_[entry.label()].get() : PAT_REQUEST_NULL;
  if (request != PAT_REQUEST_NULL) must_or_abort(PAT_Start(request), "PAT_Start", comm_);
  const auto region = regions_.find(entry.label());
  Phase phase;
  phase.planned_s = planned_s;
  phase.busy = options_.compute == "busy";
  phase.edges = options_.edges;
  phase.parts = parts_of(entry);
  phase.finished = [&](int part) { must_or_abort(PAT_Pready(request, part), "PAT_Pready", comm_); };
  if (region != regions_.end()) {
    phase.region = region->second.get();
    if (options_.knowledge != "predicted") phase.told_s = told_s(entry, iteration, planned_s);
  }
  const double forecast_s = run_phase(phase, times.start_s, clock_, comm_);
  if (forecast_s >= 0.0) times.forecast_s = forecast_s / options_.dilate;
}

void Scenario::operate(const Entry& entry) {
  if (entry.form == Form::plain) {
    (calls_mpi(entry.algorithm) ? functions_.mpi : functions_.pat)(call_);
    return;
  }
  const PAT_Request request = requests_[entry.label()].get();
  must_or_abort(PAT_Ready(request), "PAT_Ready", comm_);
  must_or_abort(PAT_Wait(request), "PAT_Wait", comm_);
}

/// Whether PAT is told of the phases before it.
bool Scenario::is_told(const std::string& algorithm) const {
  return !calls_mpi(algorithm) || (options_.plain && algorithm == "mpi");
}

Series Scenario::empty_series(const Entry& entry) const {
  Series series;
  series.operation = name(functions_.operation);
  series.algorithm = entry.label();
  series.pattern = pattern_;
  series.delay_s = delay_of(*delays_, pattern_);
  series.bytes = workload_->bytes();
  series.ranks = ranks_;
  series.root = options_.root;
  if (!calls_mpi(entry.algorithm))  // which may be asked for operations that PAT has none of
    series.schedule_s = schedule_time_s(problem(), entry.algorithm, *delays_, settings_.config,
                                        settings_.calibration);
  return series;
}

Problem Scenario::problem() const {
  Problem problem;
  problem.operation = functions_.operation;
  problem.ranks = ranks_;
  problem.root = std::max(0, settings_.root);
  problem.units = workload_->block_elements();
  problem.unit_bytes = settings_.type.bytes;
  if (!row(problem.operation).combines) {
    problem.units *= problem.unit_bytes;
    problem.unit_bytes = 1;
  }
  return problem;
}

}  // namespace pat::bench
