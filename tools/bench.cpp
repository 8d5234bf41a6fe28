// pat bench: measures collective operations under arrival patterns. Started with mpirun.

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/operation_row.hpp"
#include "core/text.hpp"
#include "measure/command_line.hpp"
#include "measure/dilation.hpp"
#include "tools/bench/options.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

/// An empty name stays, and is refused as one that is none.
std::vector<std::string> split_all(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words)
    for (std::string& part : split(word, ',')) parts.push_back(std::move(part));
  return parts;
}

}  // namespace

PAT_SUBCOMMAND(bench) {
  CLI::App* bench = app.add_subcommand(
      "bench", "Measure collectives under arrival patterns (start it with mpirun -n P)");
  auto options = std::make_shared<bench::Options>();
  auto& o = *options;
  o.dilate = measure::cluster_dilation();
  const auto add = [&](const char* name, auto& value, const std::string& meaning) {
    return bench->add_option(name, value, meaning)->capture_default_str();
  };
  add("--op", o.operations,
      "Operations: " + operation_names_where([](const OperationRow&) { return true; }, ", "));
  add("--alg", o.algorithms,
      "Algorithms, in turn: mpi, auto, and the registered ones; all for every one of them");
  bench->add_flag("--plain", o.plain,
                  "Tell PAT of the phases before mpi as well, and measure mpi once more, as plain, "
                  "without telling it: what being watched costs");
  bench->add_flag("--persistent", o.persistent,
                  "Also measure each of PAT's algorithms in the persistent form, as NAME+p");
  add("--parts", o.parts,
      "Also measure it, as NAME+parts, handing over the data in so many pieces, each when that "
      "share "
      "of the phase is over");
  add("--size,--sizes", o.sizes, "Whole vectors, bytes or such as 8MiB; 64k,1M or 4k:1M (doubling)")
      ->type_name("SIZE");
  bench->add_flag("--per-rank", o.per_rank, "Sizes are those of one process's block");
  bench
      ->add_option("--beside", o.beside,
                   "Sizes at once, bytes or such as 64k: between two measured calls come a phase "
                   "and a call of each of "
                   "these sizes, done in the same way and not measured")
      ->type_name("SIZE");
  bench
      ->add_option("--groups", o.groups,
                   "Communicators at once: so many groups of neighbouring ranks measure, each on "
                   "one of its own; the times are those of the first")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  add("--dtype", o.data_type, "byte, int, long, float or double");
  add("--reduce-op", o.reduce_op, "sum, prod, min, max, band, bor, bxor, user or user-ordered");
  add("--root", o.root, "A rank, or rotate");
  bench->add_option(
      "--pattern", o.patterns,
      "none, single:rank:delay, alternating:even:odd, uniform:max, normal:mean:sd, "
      "gamma:shape:scale, bernoulli:p:delay, late-root:delay, fixed:max, "
      "wave:max:period, change:every:PATTERN, trace:FILE; repeatable, or with commas between");
  measure::takes_seed(add("--seed", o.seed, "Seed of delays, data and resampling"));
  add("--base", o.base, "Computing before and after the middle, besides the delay")
      ->type_name("TIME");
  add("--compute", o.compute, "sleep or busy");
  CLI::Option* edges = bench->add_option(
      "--edges", o.edges, "Fractions at which progress is reported; 0.5 if not given");
  bench
      ->add_flag_callback(
          "--no-edges", [options] { options->edges.clear(); },
          "Report no progress: PAT learns when a phase begins and when it ends")
      ->excludes(edges);
  add("--knowledge", o.knowledge, "What PAT is told: predicted, oracle or wrong");
  add("--error", o.error, "The oracle is wrong by up to so much to either side, such as 2ms")
      ->type_name("TIME");
  add("--config", o.config, "Settings of PAT: key=value;key=value");
  add("--sync", o.sync, "barrier (two of them) or window (on a common clock)");
  add("--window", o.window, "How far ahead a window opens")->type_name("TIME");
  bench->add_flag("--learn-clock", o.learn_clock, "Synchronise clocks even on one kernel");
  bench->add_option("--iterations,-n", o.iterations, "Measured iterations")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  bench->add_option("--warmup", o.warmup, "Iterations before them")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  bench
      ->add_option("--block", o.block,
                   "Iterations of an algorithm in a row before the next has its turn")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add("--max-lateness", o.lateness_limit, "Iterations with later wake-ups are dropped and counted")
      ->type_name("TIME");
  bench->add_flag("--absorption", o.absorption, "Also measure without delays, for the absorption");
  add("--baseline", o.baseline, "Algorithm the others are compared with");
  bench->add_option("--dilate", o.dilate, "Stretch delays and shrink times by this factor")
      ->check(CLI::Range(1e-3, 1e6))
      ->capture_default_str();
  takes_format(bench->add_option("--format", o.format,
                                 "table, osu, csv or json; if not given, csv or json where the "
                                 "name of the file to write ends so, else table"),
               {"table", "osu", "csv", "json"});
  bench->add_option(output_names, o.output,
                    "Write the report to this file; a run that is stopped leaves it alone and "
                    "writes what it has beside it, such as FILE.partial.json for FILE.json");
  bench->add_option("--plot", o.plot, "Also draw a figure, .png or .svg; stopped: likewise");
  bench->add_flag("--diagnostics", o.diagnostics, "Table: serial correlation, trend, variance");
  bench->add_flag("--samples", o.samples, "csv and json: every iteration");
  bench->add_flag("-q,--quiet", o.quiet, "Show no progress");
  bench->callback([options] {
    options->patterns = split_all(options->patterns);
    if (const int code = bench::run_benchmark(*options)) std::exit(code);
  });
}

}  // namespace pat
