// What a way to choose does for the time of a whole program, simulated: each rank computes a phase
// and comes to the collective when it has left the one before. A call may be judged by its span
// (last exit minus first arrival) or by when the last rank is through its next phase, which lets a
// rank with long phases go early. Memory-bound phases get longer by a share for each other rank
// that computes at the same time, so that drifting apart pays (Afzal, Hager, Wellein 2020). No MPI.
//
//   program_time [--quick] [--check] [--plain] [--noise SHARE] [--phase SHARE] [--steps N]
//                [--library N] [--due N] [--together N] [--only TEXT] [--ahead N] [--early WEIGHT]
//
// Prices are exact: the links are as they are taken to be, and each way takes what it is simulated
// to take (what learning makes of wrong ones shows simulated_regret). A rank that is ahead is held
// up by those that still compute the phase before, but does not hold them up.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "collectives/cost/select.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

namespace {

using namespace pat;

struct Network {
  std::string name;
  CostModel model;
};

struct Cell {
  Network network;
  int ranks;
  Operation operation;
  std::size_t bytes;  ///< in all
  std::string phases;

  std::string label() const {
    char text[160];
    std::snprintf(text, sizeof text, "%2d x %-5s %-9s %8zu %-11s", ranks, network.name.c_str(),
                  std::string(name(operation)).c_str(), bytes, phases.c_str());
    return text;
  }
};

double latest(const std::vector<double>& times) {
  return *std::max_element(times.begin(), times.end());
}
double earliest(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

/// The lengths of one step's phases where each computes alone, for calls of `call_s`, seconds.
/// `least` is the shortest phase, as a share of a call.
std::vector<double> work_s(const Cell& cell, int step, double call_s, double least) {
  std::mt19937_64 fixed(7), anew(static_cast<std::uint64_t>(step) + 11);
  std::uniform_real_distribution<double> any(0.0, 1.0);
  std::vector<double> work;
  for (int r = 0; r < cell.ranks; ++r) {
    const double own = any(fixed), now = any(anew);
    double more = 0.0;
    if (cell.phases == "slow leaf") more = r == cell.ranks - 1 ? 0.5 : 0.0;
    if (cell.phases == "slower leaf") more = r == cell.ranks - 1 ? 2.0 : 0.0;
    if (cell.phases == "slow middle") more = r == cell.ranks / 2 ? 1.0 : 0.0;
    if (cell.phases == "slow root") more = r == 0 ? 1.0 : 0.0;
    if (cell.phases == "fixed" || cell.phases == "memory fix") more = own;
    if (cell.phases == "uniform") more = now;
    work.push_back(call_s * (least + more + 0.01 * any(anew)));
  }
  return work;
}

/// When phases of so much work end that begin at `begin_s`, if each takes longer by `share` for
/// each other rank that computes; `before` are the ends of the phases before.
std::vector<double> ends_of_phases(const std::vector<double>& begin_s, std::vector<double> work_s,
                                   const std::vector<double>& before_s, double share) {
  std::vector<double> end_s(begin_s.size(), 0.0);
  std::size_t open = begin_s.size();
  double now_s = earliest(begin_s);
  while (open > 0) {
    int computing = 0;
    double next_s = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < begin_s.size(); ++r) {
      computing += before_s[r] > now_s || (begin_s[r] <= now_s && work_s[r] > 0.0);
      for (const double event_s : {before_s[r], begin_s[r]})
        if (event_s > now_s) next_s = std::min(next_s, event_s);
    }
    const double slowdown = 1.0 + share * std::max(0, computing - 1);
    for (std::size_t r = 0; r < begin_s.size(); ++r)
      if (begin_s[r] <= now_s && work_s[r] > 0.0)
        next_s = std::min(next_s, now_s + work_s[r] * slowdown);
    for (std::size_t r = 0; r < begin_s.size(); ++r) {
      if (begin_s[r] > now_s || work_s[r] <= 0.0) continue;
      work_s[r] -= (next_s - now_s) / slowdown;
      if (work_s[r] > 1e-12) continue;
      work_s[r] = 0.0;
      end_s[r] = next_s;
      --open;
    }
    now_s = next_s;
  }
  return end_s;
}

/// Which way a step takes: an index, from the forecast and what is known of the phases.
using Chooser = std::function<std::size_t(const ArrivalPattern&, const std::vector<double>&)>;

struct Run {
  double time_s = 0.0;
  std::map<std::string, int> taken;
};

/// How a program goes on.
struct Course {
  int steps = 20;
  double noise = 0.0;  ///< standard deviation of forecasts, as a share of a call's time
  double phase = 1.0;  ///< the shortest phase, likewise
  int together = 0;    ///< after so many steps all wait for each other, as in a barrier; 0: never
  int library = 0;     ///< calls that the library does before one is judged
  int due = 0;         ///< after so many calls by another way the library does two; 0: never
};

class Program {
 public:
  Program(const Cell& cell, const Course& course) : cell_(cell), course_(course) {
    const OperationRow& operation = row(cell.operation);
    problem_.operation = cell.operation;
    problem_.ranks = cell.ranks;
    problem_.unit_bytes = operation.combines ? 8 : 1;
    problem_.units = cell.bytes / problem_.unit_bytes;
    if (operation.in_blocks()) problem_.units /= static_cast<std::size_t>(cell.ranks);
    problem_.cost = {cell.network.model.alpha_s, cell.network.model.beta_s_per_byte,
                     cell.network.model.gamma_s_per_byte};
    mpi_ = price_mpi(problem_, cell.network.model);
    ways_.push_back({.algorithm = mpi_.stand_in, .window = mpi_.window});
    ways_.front().segments = mpi_.segments;
    for (const Candidate& one : candidates_for(problem_))
      if (course.noise > 0.0 || one.reading == Reading::exact) ways_.push_back(one);
    share_ = cell.phases.starts_with("memory") ? 1.0 / cell.ranks : 0.0;
  }

  const Course& course() const { return course_; }
  std::size_t ways() const { return ways_.size(); }
  std::string label(std::size_t way) const {
    if (way == 0) return "mpi";
    std::string text = ways_[way].algorithm->name;
    if (ways_[way].window > 0) text += " w" + std::to_string(ways_[way].window);
    if (ways_[way].reading == Reading::coarse) text += " coarse";
    if (ways_[way].reading == Reading::blind) text += " blind";
    return text;
  }

  bool is_star(std::size_t way) const { return ways_[way].algorithm->root_ordered; }

  /// What select() takes while calls are done in the way `held`.
  std::size_t selected(const ArrivalPattern& forecast, std::size_t held) const {
    SelectionRules rules;
    rules.held = held == 0 ? nullptr : ways_[held].algorithm;
    rules.held_window = ways_[held].window;
    const Selection selection = select(problem_, forecast, cell_.network.model, mpi_,
                                       {ways_.begin() + 1, ways_.end()}, rules);
    for (std::size_t way = 1; way < ways_.size(); ++way)
      if (ways_[way].algorithm == selection.algorithm && ways_[way].window == selection.window &&
          tick_s(ways_[way].reading, forecast) == selection.tick_s)
        return way;
    return 0;
  }

  Run play(const Chooser& choose) const {
    Run run;
    const auto ranks = static_cast<std::size_t>(cell_.ranks);
    std::vector<double> exits(ranks, 0.0), before(ranks, 0.0), phases(ranks, 0.0);
    for (int step = 0; step < course_.steps; ++step) {
      const std::vector<double> arrivals =
          ends_of_phases(exits, work_s(cell_, step, mpi_.flat_s, course_.phase), before, share_);
      const ArrivalPattern forecast = forecast_of(arrivals, step);
      const std::size_t way = choose(forecast, phases);
      ++run.taken[label(way)];
      for (std::size_t r = 0; r < ranks; ++r) {
        const double length_s = arrivals[r] - exits[r];
        phases[r] = step == 0 ? length_s : 0.75 * phases[r] + 0.25 * length_s;
      }
      exits = exits_of(way, forecast, arrivals, latest(exits));
      before = arrivals;
      if (course_.together > 0 && (step + 1) % course_.together == 0)
        exits.assign(ranks, latest(exits));
    }
    run.time_s = latest(exits);
    return run;
  }

  /// How long it takes from the forecast's earliest arrival until the last rank has left the call
  /// and then computed for `phases`, `ahead` times; a mean over patterns drawn from the forecast.
  double judged_s(std::size_t way, const ArrivalPattern& forecast,
                  const std::vector<double>& phases, int ahead, double early) const {
    const int draws = forecast.half_width_s.empty() ? 1 : 4;
    double sum_s = 0.0;
    for (int draw = 0; draw < draws; ++draw) {
      std::vector<double> ends = perturbed(forecast, draw).offset_s;
      ArrivalPattern expected = forecast;
      double left_s = 0.0;
      for (int call = 0; call < ahead; ++call) {
        ends = exits_of(way, expected, ends, left_s);
        left_s = latest(ends);
        sum_s += early * mean(ends) / draws;
        for (std::size_t r = 0; r < ends.size(); ++r) ends[r] += phases[r];
        expected.offset_s = ends;
      }
      sum_s += latest(ends) / draws;
    }
    return sum_s;
  }

 private:
  static ArrivalPattern from_the_first(std::vector<double> arrivals) {
    const double first_s = earliest(arrivals);
    for (double& arrival_s : arrivals) arrival_s -= first_s;
    return {std::move(arrivals), {}, 0};
  }

  ArrivalPattern forecast_of(const std::vector<double>& arrivals, int step) const {
    if (course_.noise == 0.0) return from_the_first(arrivals);
    std::mt19937_64 random(static_cast<std::uint64_t>(step) + 101);
    std::normal_distribution<double> normal(0.0, course_.noise * mpi_.flat_s);
    std::vector<double> expected = arrivals;
    for (double& arrival_s : expected) arrival_s += normal(random);
    ArrivalPattern forecast = from_the_first(std::move(expected));
    forecast.half_width_s.assign(arrivals.size(), 1.645 * course_.noise * mpi_.flat_s);
    return forecast;
  }

  /// What moves before a process comes does not move before the call before is over
  /// (`not_before_s`).
  std::vector<double> exits_of(std::size_t index, const ArrivalPattern& forecast,
                               std::vector<double> arrivals, double not_before_s) const {
    const Candidate& way = ways_[index];
    if (way.algorithm->background)
      for (double& arrival_s : arrivals) arrival_s = std::max(arrival_s, not_before_s);
    Problem problem = problem_;
    problem.segments = way.segments;
    problem.window = way.window;
    const double first_s = earliest(arrivals);
    const ArrivalPattern actual = from_the_first(std::move(arrivals));
    const ArrivalPattern read = in_ticks(forecast, tick_s(way.reading, forecast));
    const bool live = way.algorithm->protocol != nullptr || way.algorithm->root_ordered;
    std::vector<double> exits =
        simulate(build_schedule(*way.algorithm, problem, live ? actual : read), actual,
                 corrected(cell_.network.model, index == 0 ? mpi_.correction : 1.0))
            .exit_s;
    for (double& exit_s : exits) exit_s += first_s;
    return exits;
  }

  const Cell cell_;
  const Course course_;
  double share_ = 0.0;
  Problem problem_;
  MpiPrice mpi_;
  std::vector<Candidate> ways_;
};

/// What a way is judged by: the span, or by when the last rank is through its next phase; `early`
/// counts in the mean exit as well.
struct Judgement {
  std::string name;
  bool by_phases = false;
  double early = 0.0;
  int ahead = 1;
};

/// The way of the least time, the first of equal ones.
std::size_t least_of(const std::vector<double>& times) {
  return static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
}

/// Of equal ways that of the shortest span is a little better.
std::vector<double> judged_by(const Judgement& how, const Program& program,
                              const ArrivalPattern& forecast, const std::vector<double>& lengths) {
  const std::vector<double> none(lengths.size(), 0.0);
  const std::vector<double>& phases = how.by_phases ? lengths : none;
  std::vector<double> times;
  for (std::size_t way = 0; way < program.ways(); ++way)
    times.push_back(program.judged_s(way, forecast, phases, how.ahead, how.early) -
                    how.ahead * latest(phases) +
                    1e-6 * program.judged_s(way, forecast, none, 1, 0.0));
  return times;
}

/// As select() does: the library is left only for a gain, the way under way likewise, and stars are
/// preferred.
std::size_t by_rules(const Program& program, const std::vector<double>& times, std::size_t held) {
  const SelectionRules rules;
  const auto gains = [&](std::size_t way) { return times[way] <= (1.0 - rules.gain) * times[0]; };
  const auto handicapped_s = [&](std::size_t way) {
    return times[way] * (program.is_star(way) ? 1.0 : 1.0 + rules.tie);
  };
  std::size_t best = 0;
  for (std::size_t way = 1; way < times.size(); ++way)
    if (gains(way) && (best == 0 || handicapped_s(way) < handicapped_s(best))) best = way;
  const bool stays = held != 0 && gains(held) && times[held] <= (1.0 + rules.staying) * times[best];
  return stays ? held : best;
}

/// `plain`: the least, whatever is under way.
Chooser chooser(const Program& program, const Judgement& how, bool plain) {
  const bool as_auto = !plain && !how.by_phases && how.early == 0.0;
  return [&program, how, plain, as_auto, held = std::size_t{0}, call = 0, others = 0,
          library_until = program.course().library](const ArrivalPattern& forecast,
                                                    const std::vector<double>& lengths) mutable {
    const Course& course = program.course();
    others = held == 0 ? 0 : others + 1;
    if (course.due > 0 && others == course.due) library_until = call + 2;
    if (call++ < library_until) return held = 0;
    if (as_auto) return held = program.selected(forecast, held);
    const std::vector<double> times = judged_by(how, program, forecast, lengths);
    return held = plain ? least_of(times) : by_rules(program, times, held);
  };
}

std::vector<Cell> cells(bool quick) {
  const std::vector<Network> networks = {{"1G", {.alpha_s = 30e-6, .beta_s_per_byte = 8.5e-9}},
                                         {"100M", {.alpha_s = 60e-6, .beta_s_per_byte = 85e-9}}};
  std::vector<Cell> all;
  for (const Network& network : networks)
    for (const int ranks : {8, 16})
      for (const Operation operation : {Operation::gather, Operation::scatter, Operation::reduce,
                                        Operation::bcast, Operation::allreduce})
        for (const std::size_t kib : {64, 512, 4096})
          for (const char* phases : {"equal", "slow leaf", "slower leaf", "slow middle",
                                     "slow root", "fixed", "uniform", "memory", "memory fix"})
            if (!quick || (ranks == 8 && kib == 512 && network.name == "1G"))
              all.push_back({network, ranks, operation, kib << 10, phases});
  return all;
}

/// Of some cells: times over those of the best way in hindsight, the library's and one for each
/// judgement.
struct Sums {
  std::vector<double> mpi;
  std::vector<std::vector<double>> judged;

  void add(double mpi_over_best, const std::vector<double>& over_best) {
    mpi.push_back(mpi_over_best);
    judged.resize(over_best.size());
    for (std::size_t i = 0; i < over_best.size(); ++i) judged[i].push_back(over_best[i]);
  }
  static std::vector<double> over(const std::vector<double>& times,
                                  const std::vector<double>& others) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times.size(); ++i) ratios.push_back(times[i] / others[i]);
    return ratios;
  }
  void print(const std::string& name, const std::vector<Judgement>& how) const {
    std::printf("\n%s: %zu programs; mpi over best: mean %.4f, most %.3f\n", name.c_str(),
                mpi.size(), mean(mpi), latest(mpi));
    for (std::size_t i = 0; i < judged.size(); ++i) {
      const std::vector<double> to_first = over(judged[i], judged[0]),
                                to_mpi = over(judged[i], mpi);
      std::printf(
          "  by %-6s over best: mean %.4f, most %.3f; over the first: mean %.4f, %.3f to %.3f, 2 "
          "%% "
          "better %td, 2 %% worse %td; over mpi: most %.3f, 2 %% worse %td\n",
          how[i].name.c_str(), mean(judged[i]), latest(judged[i]), mean(to_first),
          earliest(to_first), latest(to_first),
          std::ranges::count_if(to_first, [](double x) { return x < 0.98; }),
          std::ranges::count_if(to_first, [](double x) { return x > 1.02; }), latest(to_mpi),
          std::ranges::count_if(to_mpi, [](double x) { return x > 1.02; }));
    }
  }
};

/// Whether the first judgement is near the best way, and pulls no memory-bound program together.
bool holds(const std::map<std::string, Sums>& sums) {
  return std::ranges::all_of(sums, [](const auto& one) {
    const auto& [of, sum] = one;
    if (of == " all") return mean(sum.judged[0]) <= 1.02;
    return !of.starts_with("phases memory") || latest(Sums::over(sum.judged[0], sum.mpi)) <= 1.04;
  });
}

/// Times of one program, over that of the best way in hindsight.
struct Result {
  double best_s = 0.0, mpi_over_best = 0.0;
  std::string best;
  std::vector<double> over_best;
  std::vector<std::string> taken;

  void print(const Cell& cell) const {
    std::printf("%s %9.2f %6.3f", cell.label().c_str(), 1e3 * best_s, mpi_over_best);
    for (const double ratio : over_best) std::printf(" %6.3f", ratio);
    std::printf("  %-18s", best.c_str());
    for (const std::string& one : taken)
      std::printf(" %s %s", &one == &taken[0] ? "" : "|", one.c_str());
    std::printf("\n");
    std::fflush(stdout);
  }
};

Result play_all(const Program& program, const std::vector<Judgement>& judgements, bool plain) {
  std::vector<double> times;
  for (std::size_t way = 0; way < program.ways(); ++way)
    times.push_back(program.play([way](const auto&, const auto&) { return way; }).time_s);
  const std::size_t best = least_of(times);
  Result result{times[best], times[0] / times[best], program.label(best), {}, {}};
  for (const Judgement& how : judgements) {
    const Run run = program.play(chooser(program, how, plain));
    result.over_best.push_back(run.time_s / times[best]);
    result.taken.push_back(counted(run.taken));
  }
  return result;
}

int run(int argc, char** argv) {
  bool quick = false, check = false, plain = false;
  double early = 0.1;
  Course course;
  int ahead = 1;
  std::string only;
  CLI::App app("What choosing by the span of a call, or by the next phases, does to a program",
               "program_time");
  pat::measure::HelpFormatter::use(app);
  app.add_flag("--quick", quick, "8 processes, 512 KiB and 1 Gbit/s alone");
  app.add_flag(
      "--check", check,
      "End with 1 if auto is 2 % from the best, as a mean, or in a memory-bound program 4 % "
      "over the library");
  app.add_flag("--plain", plain, "What is judged best is taken, by however little");
  app.add_option("--noise", course.noise,
                 "Standard deviation of forecasts, as a share of a call's time")
      ->check(CLI::Range(0.0, 10.0));
  app.add_option("--phase", course.phase, "The shortest phase, as a share of a call's time")
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--steps", course.steps, "Of each program")->check(CLI::Range(2, 100000));
  app.add_option("--library", course.library, "Calls that the library does before one is judged")
      ->check(CLI::Range(0, 100000));
  app.add_option("--due", course.due, "After so many calls by another way the library does two")
      ->check(CLI::Range(1, 100000));
  app.add_option("--together", course.together, "All wait for each other after so many steps")
      ->check(CLI::Range(1, 100000));
  app.add_option("--ahead", ahead, "Calls that are looked ahead by the next phases")
      ->check(CLI::Range(1, 100));
  app.add_option("--early", early, "What the mean exit counts where it does")
      ->check(CLI::Range(0.0, 10.0));
  app.add_option("--only", only, "Cells whose line contains this");
  return pat::measure::run_program(app, argc, argv, [&] {
    const std::vector<Judgement> judgements = {{.name = plain ? "span" : "auto"},
                                               {.name = "next", .by_phases = true, .ahead = ahead},
                                               {.name = "early", .early = early}};
    std::printf("%-41s %9s %6s %6s %6s %6s  %-18s  %s\n", "program", "best ms", "mpi",
                judgements[0].name.c_str(), "next", "early", "best",
                "taken by each of these judgements");
    std::map<std::string, Sums> sums;
    for (const Cell& cell : cells(quick)) {
      if (cell.label().find(only) == std::string::npos) continue;
      const Result result = play_all(Program(cell, course), judgements, plain);
      result.print(cell);
      for (const std::string& of :
           {std::string(" all"), std::string(name(cell.operation)), "phases " + cell.phases})
        sums[of].add(result.mpi_over_best, result.over_best);
    }
    if (sums.empty()) throw Error(ErrorKind::argument, "no cell has '" + only + "' in its line");
    for (const auto& [of, sum] : sums) sum.print(of, judgements);
    return check && !holds(sums) ? 1 : 0;
  });
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv);
}
