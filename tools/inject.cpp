// pat inject: makes any program a benchmark for arrival patterns: its processes come late to its
// collectives as a pattern says.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "measure/command_line.hpp"
#include "measure/delays.hpp"
#include "tools/run.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

struct InjectOptions {
  RunOptions run;
  std::string pattern = "uniform:1ms", function;
  std::uint64_t seed = 1, every = 1;
  std::optional<std::uint64_t> least, most;
};

void set(const char* name, const std::string& value) {
  if (setenv(name, value.c_str(), 1) != 0)
    throw Error(ErrorKind::io, std::string(name) + " cannot be set, the environment is full");
}

/// How many processes mpirun has started, by the words of launchers; 1: it is not known.
int processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"})
    if (const char* size = std::getenv(name)) return std::max(1, std::atoi(size));
  return 1;
}

void inject(InjectOptions& options) {
  // A pattern that does not fit is refused here, before the program starts.
  measure::make_delays(options.pattern, {.ranks = processes(), .seed = options.seed});
  if (options.least && options.most && *options.least > *options.most)
    throw Error(ErrorKind::argument, "--least is above --most, give a range of sizes");
  set("PAT_INJECT", options.pattern);
  set("PAT_INJECT_SEED", std::to_string(options.seed));
  set("PAT_INJECT_EVERY", std::to_string(options.every));
  if (!options.function.empty()) set("PAT_INJECT_FUNCTION", options.function);
  if (options.least) set("PAT_INJECT_LEAST", std::to_string(*options.least));
  if (options.most) set("PAT_INJECT_MOST", std::to_string(*options.most));
  options.run.watch = options.run.algorithms.empty();
  run_program(options.run, "inject");
}

}  // namespace

PAT_SUBCOMMAND(inject) {
  auto options = std::make_shared<InjectOptions>();
  CLI::App* inject_app = app.add_subcommand(
      "inject",
      "Run a program that was not changed, and let its processes come late to its collectives: "
      "mpirun -n 8 pat inject --pattern uniform:2ms -- ./app ARGUMENT. Prints what the arrivals "
      "were in the end; collectives stay the MPI library's unless --alg is given");
  inject_app
      ->add_option("--pattern", options->pattern,
                   "none, single:RANK:TIME, alternating:TIME:TIME, uniform:TIME, "
                   "normal:MEAN:SD, gamma:SHAPE:TIME, bernoulli:P:TIME, late-root:TIME, "
                   "fixed:TIME, wave:TIME:PERIOD, change:EVERY:PATTERN, trace:FILE")
      ->capture_default_str();
  measure::takes_seed(
      inject_app->add_option("--seed", options->seed, "Of random patterns")->capture_default_str());
  inject_app
      ->add_option("--function", options->function,
                   "Before this function only, such as MPI_Gather (default: all collectives that "
                   "wait)")
      ->check([](const std::string& name) {
        return name.starts_with("MPI_") ? std::string()
                                        : "'" + name + "' is no function of MPI, write MPI_Gather";
      });
  inject_app->add_option("--every", options->every, "Before every so many of them only")
      ->check([](const std::string& text) {
        const bool is_count = !text.empty() && text != "0" &&
                              text.find_first_not_of("0123456789") == std::string::npos;
        return is_count ? std::string() : "'" + text + "' is no count, give 1 or more";
      })
      ->capture_default_str();
  measure::takes_bytes(
      inject_app->add_option("--least", options->least,
                             "Before those with blocks of at least so many bytes, such as 64k"));
  measure::takes_bytes(inject_app->add_option("--most", options->most,
                                              "Before those with blocks of at most so many bytes"));
  inject_app->add_option("--alg", options->run.algorithms,
                         "Let PAT do the collectives: algorithms, such as gather=bsls, or auto");
  inject_app->add_option("--report", options->run.report, "As of pat run");
  inject_app->add_option("--trace", options->run.trace, "As of pat run");
  inject_app->add_option("--threads", options->run.threads, "As of pat run");
  inject_app->add_option("program", options->run.command,
                         "The program and its arguments, after -- if one begins with a dash");
  inject_app->callback(
      [options, inject_app] { run_as_one_of_many(*inject_app, [&] { inject(*options); }); });
}

}  // namespace pat
