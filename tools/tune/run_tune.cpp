// pat tune from MPI_Init to MPI_Finalize.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/progress_bar.hpp"
#include "core/units.hpp"
#include "core/whole_file.hpp"
#include "measure/global_clock.hpp"
#include "measure/stop.hpp"
#include "tools/bench/on_all_ranks.hpp"
#include "tools/tune/contest.hpp"
#include "tools/tune/library.hpp"
#include "tools/tune/options.hpp"
#include "tools/tune/rules.hpp"
#include "tools/tune/subjects.hpp"

namespace pat::tune {

using namespace measure;

namespace {

std::vector<Verdict> measure_all(const Ground& ground, const std::vector<Subject>& subjects,
                                 bool shows_progress) {
  constexpr long steps = 1000;  // of a subject
  const StopSignals signals([] {});
  ProgressBar bar("pat tune", steps * static_cast<long>(subjects.size()),
                  progress_style(shows_progress));
  std::vector<Verdict> verdicts;
  for (const Subject& subject : subjects) {
    const auto before = static_cast<double>(verdicts.size());
    Contest contest(ground, subject,
                    [&](double share) { bar.update(static_cast<long>(steps * (before + share))); });
    verdicts.push_back(contest.run());
  }
  return verdicts;
}

std::string file_for(const Options& options, const Library& library) {
  return options.output.empty() ? library.usual_file() : options.output;
}

/// What is to be done with the operation's calls.
std::vector<Step> steps_for(const Options& options, const Ruled& operation,
                            const std::vector<Verdict>& verdicts) {
  std::vector<Choice> choices;
  for (const Verdict& one : verdicts)
    if (one.operation == operation.operation)
      choices.push_back({one.bytes, one.clear ? one.best : Way{}});
  return operation.size_may_differ && !options.same_arguments ? one_step_of(choices)
                                                              : steps_of(choices);
}

std::vector<OperationRules> rules_from(const Options& options,
                                       const std::vector<Verdict>& verdicts) {
  std::vector<OperationRules> all;
  for (const Verdict& one : verdicts) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const OperationRules& rules) {
      return one.operation == rules.operation;
    });
    if (known) continue;
    all.push_back({one.operation, steps_for(options, ruled(one.operation), verdicts)});
  }
  return all;
}

/// What the rules do with these calls.
Way way_for(const Verdict& verdict, const std::vector<OperationRules>& all) {
  Way way;
  for (const OperationRules& rules : all)
    if (verdict.operation == rules.operation)
      for (const Step& step : rules.steps)
        if (step.from_bytes <= verdict.bytes) way = step.way;
  return way;
}

std::string word_for(const Verdict& verdict, const std::vector<OperationRules>& all) {
  if (!verdict.clear) return "left: " + verdict.note;
  if (way_for(verdict, all).is_default()) return "left: not for all sizes, see --same-arguments";
  return "written";
}

void print(const std::vector<Verdict>& verdicts, const std::vector<OperationRules>& rules) {
  std::printf("%-21s %9s %12s  %-38s %-22s %s\n", "operation", "size", "default ms", "best",
              "over default", "rule");
  for (const Verdict& one : verdicts) {
    char ratio[64] = "-";
    if (!one.best.is_default())
      std::snprintf(ratio, sizeof ratio, "%.3f (%.3f-%.3f)", one.ratio, one.interval.lower,
                    one.interval.upper);
    std::printf("%-21s %9s %12.3f  %-38s %-22s %s\n", one.operation.c_str(),
                format_bytes(one.bytes).c_str(), 1e3 * one.default_s, text_of(one.best).c_str(),
                ratio, word_for(one, rules).c_str());
  }
  std::printf(
      "time: from the first arrival to the last exit, medians; the ratio has its 95 %% interval\n");
}

void report(const Options& options, const std::vector<Verdict>& verdicts, const Library& library) {
  const auto rules = rules_from(options, verdicts);
  const std::string file = file_for(options, library);
  const std::string settings = library.write(file, rules);
  print(verdicts, rules);
  if (rules.empty())
    std::printf("\nno rule: nothing was clearly faster than what the library does by itself\n");
  std::printf("\nwritten to %s; use it with export %s\n", file.c_str(), settings.c_str());
  std::fflush(stdout);
}

void tune(const Options& options, const std::vector<Subject>& subjects, const Library& library,
          MPI_Comm comm, int rank) {
  const GlobalClock clock(comm);
  const Ground ground{
      options, library, clock, comm, seconds_of(options.base), seconds_of(options.lateness_limit)};
  const auto verdicts = measure_all(ground, subjects, rank == 0 && !options.quiet);
  if (rank == 0) report(options, verdicts, library);
}

}  // namespace

int run_tune(const Options& options) {
  allow_choice();
  MPI_Init(nullptr, nullptr);
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::unique_ptr<Library> library;
  std::vector<Subject> subjects;
  int code = bench::on_all_ranks(comm, "pat tune", [&] {
    subjects = subjects_of(options, ranks);
    seconds_of(options.base);
    seconds_of(options.lateness_limit);
  });
  if (code == 0)
    code = bench::on_all_ranks(comm, "pat tune", [&] {
      library = find_library(comm);
      if (rank == 0) whole_file_place(file_for(options, *library));
    });
  if (code == 0)
    code = bench::on_all_ranks(comm, "pat tune",
                               [&] { tune(options, subjects, *library, comm, rank); });
  library.reset();
  MPI_Finalize();
  return code;
}

}  // namespace pat::tune
