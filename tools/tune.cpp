// pat tune: rules by which the MPI library itself chooses its algorithms, measured under arrival
// patterns. Started with mpirun; programs that use the rules need no PAT.

#include <cstdlib>
#include <memory>

#include "measure/command_line.hpp"
#include "measure/dilation.hpp"
#include "tools/subcommand.hpp"
#include "tools/tune/options.hpp"

namespace pat {

PAT_SUBCOMMAND(tune) {
  CLI::App* tune = app.add_subcommand(
      "tune",
      "Measure the MPI library's own algorithms under arrival patterns and write rules for it, for "
      "programs that run without PAT: mpirun -n 8 pat tune. A rule is written where an algorithm "
      "is clearly faster than the library's own decision; needs Open MPI or MPICH");
  auto options = std::make_shared<tune::Options>();
  auto& o = *options;
  o.dilate = measure::cluster_dilation();
  const auto add = [&](const char* name, auto& value, const std::string& meaning) {
    return tune->add_option(name, value, meaning)->capture_default_str();
  };
  add("--op", o.operations,
      "Operations; also alltoall, barrier and reduce-scatter (MPI_Reduce_scatter_block)");
  add("--size,--sizes", o.sizes, "Whole vectors, bytes or such as 8MiB; 64k,1M or 4k:1M (doubling)")
      ->type_name("SIZE");
  CLI::Option* pattern = tune->add_option(
      "--pattern", o.patterns,
      "As of pat bench, uniform:5ms if none is given; repeatable: a rule must gain under each");
  tune->add_option("--trace", o.trace,
                   "Arrivals of a recorded trace; where its places name calls, such as 'allreduce, "
                   "8 bytes', these are measured in place of --op and --sizes")
      ->type_name("FILE")
      ->excludes(pattern);
  tune->add_option(output_names, o.output,
                   "The file of rules; pat-rules.conf for Open MPI, for MPICH pat-rules.json, with "
                   "a second one beside it, .ch4")
      ->type_name("FILE");
  tune->add_flag(
      "--commutative", o.commutative,
      "The program's operators all commute (those of MPI do): also algorithms that do "
      "not keep the order of the processes. Rules for MPICH ask the operator themselves");
  tune->add_flag("--same-arguments", o.same_arguments,
                 "The program gives MPI_Gather and MPI_Scatter the same counts and types on all "
                 "processes, also where MPI ignores them, and never MPI_IN_PLACE: rules that "
                 "differ by size for these, too");
  tune->add_option("--gain", o.most, "A rule takes at most so much of the default's time")
      ->check(CLI::Range(0.01, 1.0))
      ->capture_default_str();
  tune->add_option("--iterations,-n", o.iterations, "Measured iterations of the last comparison")
      ->check(CLI::Range(3, 1000000))
      ->capture_default_str();
  add("--base", o.base, "Computing before each call, besides the delay")->type_name("TIME");
  add("--max-lateness", o.lateness_limit, "Iterations with later wake-ups are dropped")
      ->type_name("TIME");
  measure::takes_seed(add("--seed", o.seed, "Seed of delays, data and resampling"));
  tune->add_flag("-q,--quiet", o.quiet, "Show no progress");
  tune->callback([options, tune] {
    refuse_empty_values(*tune);
    if (const int code = tune::run_tune(*options)) std::exit(code);
  });
}

}  // namespace pat
