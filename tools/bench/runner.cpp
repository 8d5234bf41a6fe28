// pat bench from MPI_Init to MPI_Finalize.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

#include "collectives/algorithm.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/progress_bar.hpp"
#include "core/whole_file.hpp"
#include "libpat/mpi/load_calibration.hpp"
#include "pat/pat.h"
#include "tools/bench/collect.hpp"
#include "tools/bench/collective.hpp"
#include "tools/bench/delays.hpp"
#include "tools/bench/engine.hpp"
#include "tools/bench/environment.hpp"
#include "tools/bench/global_clock.hpp"
#include "tools/bench/on_all_ranks.hpp"
#include "tools/bench/options.hpp"
#include "tools/bench/phase.hpp"
#include "tools/bench/results.hpp"
#include "tools/bench/schedule_time.hpp"
#include "tools/bench/stop.hpp"
#include "tools/bench/units.hpp"
#include "tools/plot_figure.hpp"

namespace pat::bench {
namespace {

/// The settings in the units in which they are used; checked.
struct Settings {
  std::vector<std::string> operations, algorithms;
  std::vector<std::size_t> sizes;
  DataType type;
  double base_s, window_s, lateness_limit_s;
  int root;  ///< -1: rotates
  Format format;
  Config config;  ///< of the session, if there is one
  Calibration calibration;
};

template <typename Value>
Value one_of(const std::string& option, const std::string& text,
             const std::vector<std::pair<std::string, Value>>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + name;
  }
  throw Error(ErrorKind::argument, option + " '" + text + "' is none of " + names + ".");
}

int parse_root(const std::string& text, int ranks) {
  if (text == "rotate") return -1;
  char* end = nullptr;
  const long root = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || root < 0 || root >= ranks)
    throw Error(ErrorKind::root, "--root '" + text + "' is neither 'rotate' nor a rank from 0 to " +
                                     std::to_string(ranks - 1) + ".");
  return static_cast<int>(root);
}

void require_algorithm(const std::string& operation, const std::string& algorithm) {
  const auto& functions = find_collective(operation);
  if (algorithm == "mpi") return;
  if (functions.pat == nullptr)
    throw Error(ErrorKind::argument, "PAT has no " + operation + " of its own; use --alg mpi.");
  if (algorithm != "auto") get_algorithm(functions.operation, algorithm);
}

Settings check_settings(const Options& options, int ranks) {
  Settings settings{split(options.operations, ','),
                    split(options.algorithms, ','),
                    parse_sizes(options.sizes),
                    find_data_type(options.data_type),
                    parse_seconds(options.base),
                    parse_seconds(options.window),
                    parse_seconds(options.lateness_limit),
                    parse_root(options.root, ranks),
                    one_of<Format>("--format", options.format,
                                   {{"table", Format::table},
                                    {"osu", Format::osu},
                                    {"csv", Format::csv},
                                    {"json", Format::json}}),
                    {},
                    {}};
  const auto measures = [&](const std::string& algorithm) {
    return std::find(settings.algorithms.begin(), settings.algorithms.end(), algorithm) !=
           settings.algorithms.end();
  };
  if (!options.baseline.empty() && options.baseline != "mpi" && !measures(options.baseline))
    throw Error(ErrorKind::argument,
                "The baseline '" + options.baseline + "' is not measured, name it in --alg too.");
  for (const auto& operation : settings.operations) {
    for (const auto& algorithm : settings.algorithms) require_algorithm(operation, algorithm);
    if ((options.persistent || options.parts != 0) &&
        (find_collective(operation).init == nullptr || settings.root < 0))
      throw Error(ErrorKind::argument,
                  "--persistent and --parts go with " +
                      operation_names_where(
                          [](const OperationRow& one) {
                            return find_collective(std::string(one.name)).init != nullptr;
                          },
                          " and ") +
                      " and a --root that does not rotate.");
    if (options.parts < 0 || options.parts > 65536)
      throw Error(ErrorKind::argument,
                  "--parts is " + std::to_string(options.parts) + ", give from 1 to 65536 pieces.");
  }
  const bool forms_wanted = options.persistent || options.parts > 0;
  if (forms_wanted && std::all_of(settings.algorithms.begin(), settings.algorithms.end(),
                                  [](const std::string& name) { return name == "mpi"; }))
    throw Error(ErrorKind::argument,
                "--persistent and --parts measure PAT's algorithms, name one in --alg.");
  if (!options.output.empty()) whole_file_place(options.output);
  if (!options.plot.empty()) {
    check_figure_name(options.plot);
    whole_file_place(options.plot);
  }
  one_of<int>("--compute", options.compute, {{"sleep", 0}, {"busy", 1}});
  one_of<int>("--knowledge", options.knowledge, {{"predicted", 0}, {"oracle", 1}, {"wrong", 2}});
  one_of<int>("--sync", options.sync, {{"barrier", 0}, {"window", 1}});
  for (const double edge : options.edges)
    if (!(edge > 0.0 && edge < 1.0))
      throw Error(ErrorKind::argument,
                  "--edges are fractions of the computing phase between 0 and 1.");
  for (const auto& pattern : options.patterns) {
    make_delays(pattern, {ranks, std::max(0, settings.root), options.seed});
    if (settings.root < 0 && pattern.rfind("late-root", 0) == 0)
      throw Error(ErrorKind::argument,
                  "The pattern late-root needs a --root that does not rotate.");
  }
  return settings;
}

/// The size of a pattern's delays, for the axis of a plot: its longest or its mean one, seconds.
double delay_of(const Delays& delays, const std::string& pattern) {
  const auto parts = split(pattern, ':');
  if (parts[0] == "uniform") return parse_seconds(parts[1]);
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

/// A persistent request, made when it is first needed.
class RequestGuard {
 public:
  RequestGuard() = default;
  ~RequestGuard() {
    if (request_ != PAT_REQUEST_NULL) PAT_Request_free(&request_);
  }
  RequestGuard(const RequestGuard&) = delete;
  RequestGuard& operator=(const RequestGuard&) = delete;
  void make(const CollectiveFunctions& functions, const Call& call, int parts) {
    if (request_ != PAT_REQUEST_NULL) return;
    must_or_abort(functions.init(call, &request_), "the persistent form", call.comm);
    if (parts > 0)
      must_or_abort(PAT_Request_parts(request_, parts), "PAT_Request_parts", call.comm);
  }
  PAT_Request get() const { return request_; }

 private:
  PAT_Request request_ = PAT_REQUEST_NULL;
};

std::vector<Form> forms(const Options& options, const std::string& algorithm) {
  std::vector<Form> all = {Form::plain};
  if (options.persistent && algorithm != "mpi") all.push_back(Form::persistent);
  if (options.parts > 0 && algorithm != "mpi") all.push_back(Form::parts);
  return all;
}

/// Measures one operation with one size under one pattern.
class Setting {
 public:
  Setting(const Options& options, const Settings& settings, const GlobalClock& clock,
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
    if (row(functions_.operation).combines)
      op_ = std::make_unique<ReduceOp>(options.reduce_op, settings.type);
    if (options.per_rank) bytes *= static_cast<std::size_t>(ranks_);
    workload_ = std::make_unique<Workload>(functions_.operation, bytes, settings.type, op_.get(),
                                           options.seed, comm);
    for (const auto& algorithm : settings.algorithms)
      for (const Form form : forms(options, algorithm)) {
        const Entry entry{algorithm, false, form};
        plan_.entries.push_back(entry);
        if (options.absorption) plan_.entries.push_back({algorithm, true, form});
        if (algorithm != "mpi")
          regions_[entry.label()] =
              std::make_unique<RegionGuard>(comm, operation + " " + entry.label());
      }
    plan_.warmup = options.warmup;
    plan_.iterations = options.iterations;
    plan_.lateness_limit_s = settings.lateness_limit_s;
    if (rank_ == 0)
      for (const Entry& entry : plan_.entries)
        series_.push_back(entry.balanced ? Series() : empty_series(entry));
    engine_ = std::make_unique<Engine>(plan_, hooks(progress));
  }

  /// Returns whether the user stopped the run.
  bool measure() {
    engine_->run();
    return engine_->stopped();
  }

  /// Appends one series an algorithm, as far as they are measured; on rank 0. Thread-safe.
  void append_to(std::vector<Series>& all) const {
    const auto measured = engine_->measured();
    for (std::size_t e = 0; e < series_.size(); ++e) {
      if (plan_.entries[e].balanced) {
        for (const Sample& sample : measured[e].samples)
          all.back().balanced_run_s.push_back(sample.run_s);
        continue;
      }
      Series& series = all.emplace_back(series_[e]);
      series.samples = measured[e].samples;
      series.dropped = measured[e].dropped;
    }
  }

 private:
  Hooks hooks(const std::function<void(long)>& progress) {
    Hooks hooks;
    hooks.prepare = [this](const Entry& entry, std::uint64_t i) { prepare(entry, i); };
    hooks.synchronise = [this] { synchronise(); };
    hooks.compute = [this](const Entry& entry, std::uint64_t i, RankTimes& t) {
      compute(entry, i, t);
    };
    hooks.operate = [this](const Entry& entry) {
      if (entry.form != Form::plain) {
        const PAT_Request request = requests_[entry.label()].get();
        must_or_abort(PAT_Ready(request), "PAT_Ready", comm_);
        must_or_abort(PAT_Wait(request), "PAT_Wait", comm_);
        return;
      }
      (entry.algorithm == "mpi" ? functions_.mpi : functions_.pat)(call_);
    };
    hooks.check = [this](const Entry&, std::uint64_t) { return workload_->check(); };
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

  void prepare(const Entry& entry, std::uint64_t iteration) {
    const int root = settings_.root < 0
                         ? static_cast<int>(iteration % static_cast<std::uint64_t>(ranks_))
                         : settings_.root;
    workload_->prepare(iteration, root);
    call_ = workload_->call();
    if (entry.algorithm != "mpi")
      must_or_abort(
          PAT_UseAlgName(std::string(name(functions_.operation)).c_str(), entry.algorithm.c_str()),
          "PAT_UseAlgName", comm_);
    if (entry.form != Form::plain)
      requests_[entry.label()].make(functions_, call_, parts_of(entry));
  }

  int parts_of(const Entry& entry) const { return entry.form == Form::parts ? options_.parts : 0; }

  void synchronise() {
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

  double delay_s(const Entry& entry, std::uint64_t iteration, int rank) const {
    if (entry.balanced) return 0.0;
    return delays_->at(iteration)[static_cast<std::size_t>(rank)];
  }

  /// What the process says the phase will take: the truth, or the opposite of it.
  double told_s(const Entry& entry, std::uint64_t iteration, double planned_s) const {
    if (options_.knowledge == "oracle" || entry.balanced) return planned_s;
    const auto all = delays_->at(iteration);
    const double longest = *std::max_element(all.begin(), all.end());
    const double own = all[static_cast<std::size_t>(rank_)];
    return planned_s + options_.dilate * (longest - 2.0 * own);
  }

  void compute(const Entry& entry, std::uint64_t iteration, RankTimes& times) {
    const double planned_s =
        options_.dilate * (2.0 * settings_.base_s + delay_s(entry, iteration, rank_));
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
    phase.finished = [&](int part) {
      must_or_abort(PAT_Pready(request, part), "PAT_Pready", comm_);
    };
    if (region != regions_.end()) {
      phase.region = region->second.get();
      if (options_.knowledge != "predicted") phase.told_s = told_s(entry, iteration, planned_s);
    }
    const double forecast_s = run_phase(phase, times.start_s, clock_, comm_);
    if (forecast_s >= 0.0) times.forecast_s = forecast_s / options_.dilate;
  }

  Series empty_series(const Entry& entry) const {
    Series series;
    series.operation = name(functions_.operation);
    series.algorithm = entry.label();
    series.pattern = pattern_;
    series.delay_s = delay_of(*delays_, pattern_);
    series.bytes = workload_->bytes();
    series.ranks = ranks_;
    series.root = options_.root;
    if (entry.algorithm != "mpi")  // which may be asked for operations that PAT has none of
      series.schedule_s = schedule_time_s(problem(), entry.algorithm, *delays_, settings_.config,
                                          settings_.calibration);
    return series;
  }

  Problem problem() const {
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

  const Options& options_;
  const Settings& settings_;
  const GlobalClock& clock_;
  MPI_Comm comm_;
  std::string pattern_;
  const CollectiveFunctions& functions_;
  int rank_ = 0;
  int ranks_ = 1;
  std::unique_ptr<Delays> delays_;
  std::unique_ptr<ReduceOp> op_;
  std::unique_ptr<Workload> workload_;
  std::map<std::string, std::unique_ptr<RegionGuard>> regions_;
  std::map<std::string, RequestGuard> requests_;
  Plan plan_;
  std::vector<Series> series_;  ///< one an entry, without samples; on rank 0
  std::unique_ptr<Engine> engine_;
  Call call_{};
};

nlohmann::json settings_json(const Options& options) {
  return {{"operations", options.operations},
          {"algorithms", options.algorithms},
          {"sizes", options.sizes},
          {"per_rank", options.per_rank},
          {"data_type", options.data_type},
          {"reduce_op", options.reduce_op},
          {"root", options.root},
          {"patterns", options.patterns},
          {"base", options.base},
          {"compute", options.compute},
          {"edges", options.edges},
          {"knowledge", options.knowledge},
          {"config", options.config},
          {"sync", options.sync},
          {"persistent", options.persistent},
          {"parts", options.parts},
          {"iterations", options.iterations},
          {"warmup", options.warmup},
          {"lateness_limit", options.lateness_limit},
          {"dilate", options.dilate}};
}

void write_report(const Results& results, const Options& options, Format format) {
  const ReportOptions report{format, options.diagnostics, options.samples};
  if (options.output.empty()) {
    write(results, report, std::cout);
    std::cout.flush();
  } else {
    std::ostringstream text;
    write(results, report, text);
    write_whole_file(options.output, text.str());
  }
  if (!options.plot.empty()) plot_figure({to_json(results, false)}, {}, options.plot);
}

/// The results on rank 0 and their report, which is written once: when all is measured or, before
/// that, when a signal asks for what there is. Thread-safe.
class Report {
 public:
  Report(const Options& options, Format format, Results results)
      : options_(options), format_(format), results_(std::move(results)) {}

  /// The setting that is being measured; its results count from the beginning.
  class Present {
   public:
    Present(Report& report, const Setting& setting) : report_(report) {
      const std::lock_guard lock(report_.mutex_);
      report_.present_ = &setting;
    }
    ~Present() {
      const std::lock_guard lock(report_.mutex_);
      report_.take_present();
    }
    Present(const Present&) = delete;
    Present& operator=(const Present&) = delete;

   private:
    Report& report_;
  };

  /// Throws Error(io); also if write_at_once() could not write.
  void write(bool stopped) {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    if (!written_) write_now(stopped);
  }
  void write_at_once() {
    const std::lock_guard lock(mutex_);
    try {
      take_present();
      if (!written_) write_now(true);
    } catch (const std::exception&) {
      failure_ = std::current_exception();
    }
  }

 private:
  // With the lock held.
  void take_present() {
    if (present_ != nullptr) present_->append_to(results_.series);
    present_ = nullptr;
  }
  void write_now(bool stopped) {
    results_.stopped = stopped;
    if (stopped) results_.effort = quick_effort(results_.series);
    write_report(results_, options_, format_);
    written_ = true;
  }

  const Options& options_;
  Format format_;
  std::mutex mutex_;
  Results results_;
  const Setting* present_ = nullptr;
  bool written_ = false;
  std::exception_ptr failure_;
};

Results empty_results(const Options& options, const GlobalClock& clock, MPI_Comm comm, int rank) {
  const auto skew = clock.measure_skew(comm);
  Results results;
  results.environment = capture_environment(comm);
  results.settings = settings_json(options);
  results.baseline = options.baseline;
  results.seed = options.seed;
  if (rank == 0) {
    results.environment["clock"] = clock.shared() ? "one kernel" : "learnt (HCA3)";
    results.environment["clock_skew_us"] = std::round(1e8 * skew.largest_s) / 100;
    results.environment["clock_skew_known_to_us"] = std::round(1e8 * skew.precision_s) / 100;
    results.environment["seed"] = options.seed;
    results.environment["dilate"] = options.dilate;
  }
  return results;
}

/// Measurements of one operation with one size under one pattern.
long measurements_each(const Options& options, const Settings& settings) {
  const auto& algorithms = settings.algorithms;
  long entries = 0;
  for (const std::string& algorithm : algorithms)
    entries += static_cast<long>(forms(options, algorithm).size());
  return entries * (options.absorption ? 2 : 1) * (options.warmup + options.iterations);
}

void measure_all(const Options& options, const Settings& settings, MPI_Comm comm, int rank) {
  const GlobalClock clock(comm, options.learn_clock);
  Report report(options, settings.format, empty_results(options, clock, comm, rank));
  const StopSignals signals([&report, rank] {
    if (rank == 0) report.write_at_once();
  });
  const auto combinations =
      settings.operations.size() * options.patterns.size() * settings.sizes.size();
  const long each = measurements_each(options, settings);
  bool stopped = false;
  {
    ProgressBar bar("pat bench", each * static_cast<long>(combinations),
                    progress_style(rank == 0 && !options.quiet));
    long before = 0;
    for (const auto& operation : settings.operations)
      for (const auto& pattern : options.patterns)
        for (const std::size_t bytes : settings.sizes) {
          if (stopped) break;
          Setting setting(options, settings, clock, operation, bytes, pattern, comm,
                          [&](long done) { bar.update(before + done); });
          const Report::Present present(report, setting);
          stopped = setting.measure();
          before += each;
        }
  }
  if (rank == 0) report.write(stopped);
}

}  // namespace

int run_benchmark(const Options& options) {
  int level = MPI_THREAD_SINGLE, rank = 0, ranks = 1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  Settings settings;
  int code = on_all_ranks(comm, "pat bench", [&] { settings = check_settings(options, ranks); });
  const bool uses_pat =
      std::any_of(settings.algorithms.begin(), settings.algorithms.end(),
                  [](const std::string& algorithm) { return algorithm != "mpi"; });
  if (code == 0 && uses_pat)
    code = on_all_ranks(comm, "pat bench", [&] {
      std::string config = options.config;
      if (options.knowledge != "predicted") config = "predictor=edge;" + config;
      must(PAT_Init_comm(comm, config.c_str()), "PAT_Init");
      settings.config = load_config(config);
      settings.calibration = load_calibration(comm, settings.config);
    });
  if (code == 0) {
    code = on_all_ranks(comm, "pat bench", [&] { measure_all(options, settings, comm, rank); });
    if (uses_pat) PAT_Finalize();
  }
  MPI_Finalize();
  return code;
}

}  // namespace pat::bench
