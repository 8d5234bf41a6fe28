// pat bench from MPI_Init to MPI_Finalize.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/progress_bar.hpp"
#include "libpat/mpi/load_calibration.hpp"
#include "measure/global_clock.hpp"
#include "measure/must.hpp"
#include "measure/stop.hpp"
#include "pat/pat.h"
#include "tools/bench/environment.hpp"
#include "tools/bench/on_all_ranks.hpp"
#include "tools/bench/options.hpp"
#include "tools/bench/own_communicator.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/scenario.hpp"
#include "tools/bench/settings.hpp"

namespace pat::bench {

using namespace measure;

namespace {

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

/// `rank` is that among all processes: the first one, which is in the first group, writes.
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
          Scenario scenario(options, settings, clock, operation, bytes, pattern, comm,
                            [&](long done) { bar.update(before + done); });
          const Report::Present present(report, scenario);
          stopped = scenario.run();
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
                  [](const std::string& algorithm) { return !calls_mpi(algorithm); });
  if (code == 0 && uses_pat)
    code = on_all_ranks(comm, "pat bench", [&] {
      std::string config = options.config;
      if (options.knowledge != "predicted") config = "predictor=edge;" + config;
      must(PAT_Init_comm(comm, config.c_str()), "PAT_Init");
      settings.config = load_config(config);
      settings.calibration = detail::load_calibration(comm, settings.config);
    });
  if (code == 0) {
    code = on_all_ranks(comm, "pat bench", [&] {
      const OwnCommunicator group(comm, options.groups);
      measure_all(options, settings, group.get(), rank);
    });
    if (uses_pat) PAT_Finalize();
  }
  MPI_Finalize();
  return code;
}

}  // namespace pat::bench
