// pat simulate: reductions that know no costs beforehand, on processors whose costs are random
// (seed 002).

#include <iostream>
#include <memory>
#include <string>

#include "collectives/nonclairvoyant/method.hpp"
#include "measure/command_line.hpp"
#include "tools/simulate/plan.hpp"
#include "tools/simulate/plot.hpp"
#include "tools/simulate/print.hpp"
#include "tools/simulate/rows.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

void print(const std::string& format, const simulation::Plan& plan, const simulation::Rows& rows) {
  if (format == "json")
    print_json(plan, rows);
  else if (format == "csv")
    print_csv(plan, rows);
  else
    print_table(plan, rows);
  std::cout.flush();
}

void run(const simulation::Options& options) {
  const simulation::Plan plan = simulation::plan_of(options);
  if (!options.plot.empty()) check_picture(plan, options.plot);
  const simulation::Rows rows = rows_of(plan, options.quiet);
  if (!rows.rows.empty()) {
    print(options.format, plan, rows);  // before the picture, which may fail
    if (!options.plot.empty()) draw(plan, rows, options.plot);
  }
  if (rows.stopped())
    throw Error(ErrorKind::io, "stopped after " + std::to_string(rows.done) + " of " +
                                   std::to_string(rows.wanted) +
                                   " runs, the results are of these alone");
}

std::string methods_footer() {
  std::string text = "Methods (all: those of the paper):";
  for (const nonclairvoyant::MethodInfo& info : nonclairvoyant::methods())
    text += std::string("\n  ") + info.name + "\n      " + info.idea + " (" + info.source + ")";
  return text + "\n\nLists: 0.1,1,2 or 0..2:5 (evenly) or 0.01..10:25log (on a logarithmic scale).";
}

}  // namespace

PAT_SUBCOMMAND(simulate) {
  CLI::App* command = app.add_subcommand(
      "simulate", "Reductions that know no costs beforehand, where costs are random");
  auto options = std::make_shared<simulation::Options>();
  simulation::Options& o = *options;
  command->add_option("--method", o.methods, "Methods with commas between, or all (default all)")
      ->delimiter(',');
  command->add_option("-P,--ranks,--n", o.processors, "Processors, a list (default 64)")
      ->type_name("LIST");
  command->add_option("--distribution", o.distribution,
                      "Of the costs: constant, exponential or gamma (default gamma; constant with "
                      "--costs and no --cv)");
  command
      ->add_option("--cv", o.cv,
                   "Standard deviation of the costs over their mean, a list (default 1)")
      ->type_name("LIST");
  command
      ->add_option("--comp-ratio", o.comp_ratio,
                   "Mean cost of computing over that of a communication, a list (default 0)")
      ->type_name("LIST");
  command->add_option("--mean", o.mean, "Mean cost of a communication, in any unit")
      ->check(CLI::Range(1e-100, 1e100, "from 1e-100 to 1e100"))
      ->capture_default_str();
  command
      ->add_option("--costs", o.costs,
                   "File of processors that differ: n lines of n numbers, d(i,j), and at most one "
                   "more, c(i); what is drawn are factors of these")
      ->type_name("FILE");
  command->add_option("--runs", o.runs, "Runs of each method and setting (default 10000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000'000}));
  measure::takes_seed(
      command->add_option("--seed", o.seed, "Names the random numbers")->capture_default_str());
  command->add_option("--figure", o.figure,
                      "4, 5 or 6: that of the paper; other options change what it is made of");
  takes_format(command->add_option("--format", o.format, "table, json or csv"),
               {"table", "json", "csv"})
      ->capture_default_str();
  command
      ->add_option("--plot", o.plot,
                   "Write a picture, .png or .svg: times over one list; over --cv and "
                   "--comp-ratio the ratio of two methods, or which of more is the best")
      ->type_name("FILE");
  command->add_flag("-q,--quiet", o.quiet, "Show no progress");
  command->footer(methods_footer());
  command->callback([options, command] {
    refuse_empty_values(*command);
    run(*options);
  });
}

}  // namespace pat
