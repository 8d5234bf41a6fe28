// pat-simgrid: collectives on a simulated cluster. The times are the same to the last digit in
// every run, whatever the machine that runs it is busy with.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <iostream>
#include <optional>

#include "bench/simgrid/background.hpp"
#include "bench/simgrid/experiment.hpp"
#include "collectives/algorithm.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "measure/command_line.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

namespace pat::simulated {
namespace {

struct Options {
  std::string machine = "star:48";
  std::string operations = "gather";
  std::string algorithms = "all";
  std::string left_out;
  std::string backgrounds = "thread";
  std::vector<std::string> patterns = {"none"};
  std::string size = "8MiB";
  std::uint64_t seed = 1;
  std::uint64_t iteration = 0;
  Knowledge knowledge;
  std::vector<std::string> config;
  int window = 0;
  int jobs = 1;
  bool simulate = true;
  bool costs = false;
  bool keep_going = false;
};

/// An experiment on its way in a child process.
struct Running {
  Experiment experiment;
  pid_t child;
  int pipe;
};

/// The simulator runs once in a process, and each experiment in one of its own begins with the same
/// state, so no row depends on the rows before it.
Running start(const Experiment& experiment) {
  int ends[2];
  if (pipe(ends) != 0) throw Error(ErrorKind::io, "No pipe could be made for an experiment.");
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw Error(ErrorKind::io, "No process could be started for an experiment.");
  if (child > 0) {
    close(ends[1]);
    return {experiment, child, ends[0]};
  }
  int status = 1;
  try {
    const Times times = run(experiment);
    if (write(ends[1], &times, sizeof times) == sizeof times) status = 0;
  } catch (const std::exception& error) {
    std::cerr << "pat-simgrid: " << experiment.algorithm << ": " << error.what() << std::endl;
  }
  _exit(status);
}

/// What an experiment took of this machine.
struct Took {
  double cpu_s, memory_gb;
};

Took took(const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) * 1024e-9};
}

void print(const Experiment& e, const Times& times, const std::optional<Took>& costs) {
  std::printf("%s,%d,%s,%s,%s,%s,%zu,%.9f,%.9f,", e.machine.name.c_str(), e.machine.ranks,
              std::string(name(e.operation)).c_str(), e.algorithm.c_str(), e.background.c_str(),
              e.pattern.c_str(), e.bytes, times.run_s, times.mean_elapsed_s);
  if (times.hockney_run_s >= 0.0) std::printf("%.9f", times.hockney_run_s);
  if (costs) {
    std::printf(",");
    if (times.bound_s >= 0.0) std::printf("%.9f", times.bound_s);
    std::printf(",%.1f,%.2f", costs->cpu_s, costs->memory_gb);
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// Throws Error(internal) if it failed.
void finish(const Running& running, bool costs) {
  Times times;
  const bool whole = read(running.pipe, &times, sizeof times) == sizeof times;
  close(running.pipe);
  int status = 0;
  rusage usage{};
  wait4(running.child, &status, 0, &usage);
  const Took used = took(usage);
  const Experiment& e = running.experiment;
  if (!whole || status != 0)
    throw Error(ErrorKind::internal,
                "The experiment " + std::string(name(e.operation)) + " " + e.algorithm + " " +
                    e.background + " " + e.pattern + " on " + e.machine.name + " failed" +
                    (WIFSIGNALED(status) ? " by signal " + std::to_string(WTERMSIG(status)) : "") +
                    " after " + std::to_string(std::lround(used.cpu_s)) + " s.");
  print(e, times, costs ? std::optional(used) : std::nullopt);
}

std::vector<std::string> algorithm_names(Operation operation, const Options& options) {
  if (options.algorithms != "all") return split(options.algorithms, ',');
  const std::vector<std::string> left_out = split(options.left_out, ',');
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(left_out.begin(), left_out.end(), name) == left_out.end()) names.push_back(name);
  };
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.operation == operation && algorithm.build != nullptr) add(algorithm.name);
  for (const std::string& selector : selectors(operation)) add("mpi:" + selector);
  return names;
}

/// An algorithm that moves nothing before the arrival has no use for a background, but what a
/// dynamic one would do if it knew the arrivals can be asked for.
std::vector<std::string> background_names(Operation operation, const std::string& algorithm,
                                          const std::string& list) {
  const Algorithm* known = find_algorithm(operation, algorithm);
  const std::vector<std::string> names = split(list, ',');
  if (known != nullptr && known->background) return names;
  if (known != nullptr && known->protocol != nullptr && names == std::vector<std::string>{"oracle"})
    return names;
  return {"none"};
}

std::vector<Experiment> experiments(const Options& options) {
  const Machine machine = find_machine(options.machine);
  const std::vector<std::size_t> sizes = parse_sizes(options.size);
  for (const std::string& one : split(options.backgrounds, ',')) make_background(one);
  std::vector<Experiment> all;
  for (const std::string& operation_name : split(options.operations, ',')) {
    const auto operation = find_operation(operation_name);
    if (!operation)
      throw Error(ErrorKind::argument, "There is no operation '" + operation_name +
                                           "'; there are " + simulated_operations(" and ") + ".");
    require_simulated(*operation);
    for (const std::string& algorithm : algorithm_names(*operation, options))
      for (const std::string& background :
           background_names(*operation, algorithm, options.backgrounds))
        for (const std::string& pattern : options.patterns)
          for (const std::size_t bytes : sizes)
            all.push_back({machine, *operation, algorithm, background, pattern, options.seed,
                           options.iteration, options.knowledge, bytes, options.config,
                           options.window, options.simulate});
  }
  for (const Experiment& one : all) validate(one);
  return all;
}

void run_all(const Options& options) {
  const std::vector<Experiment> all = experiments(options);
  std::printf(
      "machine,ranks,operation,algorithm,background,pattern,bytes,run_s,mean_elapsed_s,"
      "hockney_run_s%s\n",
      options.costs ? ",bound_s,cpu_s,memory_gb" : "");
  int failures = 0;
  const auto finish_one = [&](const Running& running) {
    try {
      finish(running, options.costs);
    } catch (const Error& error) {
      if (!options.keep_going) throw;
      std::cerr << "pat-simgrid: " << error.what() << std::endl;
      ++failures;
    }
  };
  std::deque<Running> running;
  for (const Experiment& experiment : all) {
    if (static_cast<int>(running.size()) == options.jobs) {
      finish_one(running.front());
      running.pop_front();
    }
    running.push_back(start(experiment));
  }
  for (const Running& rest : running) finish_one(rest);
  if (failures > 0)
    throw Error(ErrorKind::internal, std::to_string(failures) + " of " +
                                         std::to_string(all.size()) + " experiments failed.");
}

}  // namespace
}  // namespace pat::simulated

int main(int argc, char** argv) {
  CLI::App app("Collectives under arrival patterns on a simulated cluster, as CSV", "pat-simgrid");
  pat::measure::HelpFormatter::use(app);
  pat::simulated::Options o;
  const auto add = [&](const char* name, auto& value, const std::string& meaning) {
    return app.add_option(name, value, meaning)->capture_default_str();
  };
  add("--machine", o.machine, "star:N (1 Gbit/s), fast-star:N or fat-tree:N (10 Gbit/s)");
  add("--op", o.operations, "Operations: " + pat::simulated::simulated_operations(", "));
  add("--alg", o.algorithms, "all, or registered names and mpi:SELECTOR (mpi:ompi ...)");
  add("--without", o.left_out, "Names to leave out of all");
  add("--background", o.backgrounds,
      "Who moves data before an arrival, where the algorithm allows it: none,thread,actor,oracle");
  add("--pattern", o.patterns, "As in pat bench; repeatable");
  add("--size", o.size, "Whole vectors, bytes or such as 8MiB; 64k,1M");
  pat::measure::takes_seed(add("--seed", o.seed, "Seed of the delays"));
  add("--window", o.window, "As PAT_WINDOW; 0: the algorithm's own choice")
      ->check(CLI::Range(0, 1024));
  add("--knowledge", o.knowledge.kind, "What algorithms are told: oracle, predicted or wrong");
  add("--iteration", o.iteration, "Of the pattern; predicted has learnt from those before it");
  add("--predictor", o.knowledge.predictor, "The model of predicted");
  add("--cfg", o.config, "More of SimGrid's settings, KEY:VALUE; repeatable");
  add("--jobs", o.jobs, "Experiments at the same time")->check(CLI::Range(1, 4096));
  app.add_flag("--costs", o.costs,
               "More columns: a lower bound, and what the simulation took of this machine");
  app.add_flag("--keep-going", o.keep_going, "Go on after an experiment that fails");
  app.add_flag("--simulate,!--no-simulate", o.simulate, "Ask our own model too");
  return pat::measure::run_program(app, argc, argv, [&] {
    pat::simulated::run_all(o);
    return 0;
  });
}
