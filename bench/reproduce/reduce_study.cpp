// Numbers for the figures of seed 004 on this project's own simulate(): every reduce algorithm on
// P = 128 processes, 128 KiB to 40 MiB, with the last one late; and the study of the orders against
// the lower bound on rounds. Writes CSV to the standard output; deterministic, but for the times to
// construct.
//   reduce_study delay | balanced | absorption | segments | orders | forecast | redirect |
//   dynamic | crossing | construction

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/clairvoyant/clairvoyant.hpp"
#include "collectives/clairvoyant/generators.hpp"
#include "collectives/clairvoyant/segments.hpp"
#include "collectives/cost/reading.hpp"
#include "collectives/cost/reduce_bounds.hpp"
#include "collectives/cost/select.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/dynamic/play.hpp"
#include "core/nearest.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

namespace pat {
namespace {

using clairvoyant::Order;

// Seed 004 Section 5.3: measured on PRACE CURIE.
constexpr LinkCost curie{
    .alpha_s = 2.66e-6, .beta_s_per_byte = 4.8179e-10, .gamma_s_per_byte = 1.6654e-10};
constexpr CostModel model{.alpha_s = curie.alpha_s,
                          .beta_s_per_byte = curie.beta_s_per_byte,
                          .gamma_s_per_byte = curie.gamma_s_per_byte};
constexpr int ranks = 128;
const std::vector<double> sizes = {131072, 524288, 2097152, 4194304, 41943040};
const std::vector<const char*> names = {"clairvoyant", "bnom",           "rabenseifner",
                                        "ring",        "radix-k",        "pipeline",
                                        "two-tree",    "local-redirect", "local-redirect-seg"};

Problem reduction(double bytes) {
  Problem problem;
  problem.operation = Operation::reduce;
  problem.ranks = ranks;
  problem.units = 8192;  // whole pieces for every algorithm; the model only knows bytes
  problem.unit_bytes = static_cast<std::size_t>(bytes / 8192);
  problem.cost = curie;
  problem.factors = {};
  return problem;
}

double run_s(const char* name, Problem problem, const ArrivalPattern& pattern) {
  if (std::strcmp(name, "radix-k") == 0) problem.factors = {4, 4, 8};  // the paper's
  const Schedule schedule =
      build_schedule(get_algorithm(Operation::reduce, name), problem, pattern);
  return simulate(schedule, pattern, model).run_time_s();
}

ArrivalPattern late_by(double delay_s) {
  ArrivalPattern pattern = ArrivalPattern::flat(ranks);
  pattern.offset_s.back() = delay_s;
  return pattern;
}

/// Figs. 12 and 13: run times relative to Clairvoyant's, and absorption over the balanced run time.
void delays() {
  std::printf("bytes,algorithm,normalized_delay,run_s,relative_run,normalized_absorption\n");
  for (const double bytes : sizes) {
    const Problem problem = reduction(bytes);
    const double unit_s = run_s("clairvoyant", problem, late_by(0.0));
    std::vector<double> reference;
    for (const char* name : names) {
      const double balanced_s = run_s(name, problem, late_by(0.0));
      for (int step = 0; step <= 10; ++step) {
        const double delay_s = 0.2 * step * unit_s;
        const double time_s = run_s(name, problem, late_by(delay_s));
        if (std::strcmp(name, "clairvoyant") == 0) reference.push_back(time_s);
        std::printf("%.0f,%s,%.1f,%.9g,%.4f,%.4f\n", bytes, name, 0.2 * step, time_s,
                    time_s / reference[static_cast<std::size_t>(step)],
                    check::absorption_s(balanced_s, time_s, delay_s) / balanced_s);
      }
    }
  }
}

/// Fig. 10: balanced run times relative to Clairvoyant's over the problem size.
void balanced() {
  std::printf("bytes,algorithm,run_s,relative_run\n");
  for (double bytes = 32768; bytes <= 67108864; bytes *= 2) {
    const double unit_s = run_s("clairvoyant", reduction(bytes), late_by(0.0));
    for (const char* name : names) {
      const double time_s = run_s(name, reduction(bytes), late_by(0.0));
      std::printf("%.0f,%s,%.9g,%.4f\n", bytes, name, time_s, time_s / unit_s);
    }
  }
}

/// Fig. 6: greatest normalised absorption by the formulas, over problem size and segments.
void absorption() {
  std::printf("bytes,segments,normalized_absorption\n");
  for (double bytes = 16384; bytes <= 67108864; bytes *= 2)
    for (const int segments : {1, 4, 16, 40, 64, 256, 0}) {
      const double n = segments > 0 ? segments : check::best_segments(curie, ranks, bytes);
      const double round_s = curie.round_s(bytes / n);
      const double all_s = (7 + n - 1) * round_s;
      const double two_s = segments > 0 ? n * round_s : check::two_way_s(curie, bytes);
      std::printf("%.0f,%d,%.4f\n", bytes, segments, (all_s - two_s) / all_s);
    }
}

/// Table 8: the number of segments by N_opt, by the bound under the pattern and by simulation, with
/// the simulated run times; the delay of rank 127 in balanced run times with N_opt segments.
void segments() {
  std::printf("bytes,normalized_delay,method,segments,run_s\n");
  for (const double bytes : sizes)
    for (const double delay : {0.0, 0.5, 1.0, 2.0}) {
      const Problem problem = reduction(bytes);
      const int best = static_cast<int>(std::round(check::best_segments(curie, ranks, bytes)));
      const ArrivalPattern pattern =
          late_by(delay * check::balanced_run_s(curie, ranks, bytes, best));
      const std::pair<const char*, int> methods[] = {
          {"N_opt", best},
          {"bound", clairvoyant::segments_for(problem, pattern)},
          {"simulate", clairvoyant::choose_segments(problem, pattern, model)}};
      for (const auto& [method, count] : methods) {
        Problem with = problem;
        with.segments = count;
        std::printf("%.0f,%.1f,%s,%d,%.9g\n", bytes, delay, method, count,
                    run_s("clairvoyant", with, pattern));
      }
    }
}

/// Rounds above the lower bound for both orders, and for the better of the two in each case.
void orders() {
  std::printf("kind,order,instances,mean_excess,max_excess,on_bound,within_one\n");
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const char* kind : {"mixed", "uniform", "one-late", "two-groups"}) {
    std::mt19937_64 random(20261121);
    double sum[3] = {}, most[3] = {};
    int on[3] = {}, near[3] = {};
    const int count = 2000;
    for (int trial = 0; trial < count; ++trial) {
      const int p = 2 + static_cast<int>(random() % 128), n = 1 + static_cast<int>(random() % 48);
      const double spread = 2.0 * (p + n) * unit(random);
      std::vector<double> arrivals(p, 0.0);
      const std::string what = std::strcmp(kind, "mixed") == 0 ? (trial % 3 == 0   ? "uniform"
                                                                  : trial % 3 == 1 ? "one-late"
                                                                                   : "two-groups")
                                                               : kind;
      if (what == "one-late")
        arrivals[random() % p] = spread;
      else
        for (double& a : arrivals)
          a = what == "uniform" ? spread * unit(random) : (random() % 2) * spread;
      const int root = static_cast<int>(random() % p);
      double makespan[2], excess[3];
      for (int o = 0; o < 2; ++o) {
        const auto instance = clairvoyant::make_instance(n, root, arrivals, 1.0,
                                                         o ? Order::latest_first : Order::paper);
        clairvoyant::MessageList list;
        clairvoyant::fast(instance, list);
        // Each against the bound for its own rule of when a process may take part.
        makespan[o] = clairvoyant::makespan_s(list, instance, arrivals, 1.0);
        excess[o] = makespan[o] - check::reduce_makespan_bound_s(instance, arrivals, 1.0);
      }
      excess[2] = excess[makespan[1] < makespan[0] ? 1 : 0];
      for (int o = 0; o < 3; ++o) {
        sum[o] += excess[o];
        most[o] = std::max(most[o], excess[o]);
        on[o] += excess[o] < 1e-9;
        near[o] += excess[o] < 1.0 + 1e-9;
      }
    }
    const char* order[3] = {"paper", "latest-first", "best"};
    for (int o = 0; o < 3; ++o)
      std::printf("%s,%s,%d,%.3f,%.1f,%.3f,%.3f\n", kind, order[o], count, sum[o] / count, most[o],
                  on[o] / double(count), near[o] / double(count));
  }
}

/// The true arrivals of a trial, in rounds of length d.
ArrivalPattern truth_of(const std::string& kind, int p, double d, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  ArrivalPattern truth = ArrivalPattern::flat(p);
  if (kind == "one-late") truth.offset_s[random() % static_cast<std::size_t>(p)] = 23 * d;
  if (kind == "uniform")
    for (double& a : truth.offset_s) a = 40 * d * unit(random);
  if (kind == "two-groups")
    for (double& a : truth.offset_s) a = static_cast<double>(random() % 2) * 23 * d;
  return truth;
}

/// The forecast of it: each time wrong by up to half_width_s to either side.
ArrivalPattern guess_of(const ArrivalPattern& truth, double half_width_s, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  ArrivalPattern guess = truth;
  for (double& a : guess.offset_s) a += half_width_s * unit(random);
  const double first = *std::min_element(guess.offset_s.begin(), guess.offset_s.end());
  for (double& a : guess.offset_s) a -= first;
  guess.half_width_s.assign(guess.offset_s.size(), half_width_s);
  return guess;
}

/// Schedules made for a wrong forecast: simulated run time over the bound of the true arrivals, for
/// each reading of the forecast, what a forced clairvoyant makes of it (rule) and what auto does,
/// if mpi is out of the question.
void forecast() {
  std::printf("arrivals,error_rounds,schedule,mean_over_bound\n");
  const int p = 64, n = 16, count = 40;
  const Algorithm& clairvoyant = get_algorithm(Operation::reduce, "clairvoyant");
  Problem problem = reduction(4194304);
  problem.ranks = p;
  const double d = problem.cost.round_s(4194304.0 / n);
  MpiPrice slow = price_mpi(problem, model);
  slow.correction = 1e3;
  std::vector<Candidate> candidates;
  for (const Reading reading : {Reading::exact, Reading::coarse, Reading::blind})
    candidates.push_back({.algorithm = &clairvoyant, .segments = n, .reading = reading});
  problem.segments = n;
  for (const char* kind : {"uniform", "one-late", "two-groups"})
    for (const double error : {0.0, 1.0, 3.0, 10.0}) {
      std::mt19937_64 random(7);
      double sum[5] = {};
      for (int trial = 0; trial < count; ++trial) {
        const ArrivalPattern truth = truth_of(kind, p, d, random);
        const ArrivalPattern guess = guess_of(truth, error * d, random);
        const double bound_s =
            static_cast<double>(check::reduce_round_bound(truth.offset_s, n, d)) * d;
        const auto play = [&](double tick) {
          const Schedule schedule = build_schedule(clairvoyant, problem, in_ticks(guess, tick));
          return simulate(schedule, truth, model).run_time_s() / bound_s;
        };
        int column = 0;
        for (const Candidate& one : candidates) sum[column++] += play(tick_s(one.reading, guess));
        sum[column++] += play(tick_s(reading_for(guess, d), guess));
        sum[column] += play(select(problem, guess, model, slow, candidates).tick_s);
      }
      const char* which[] = {"exact", "coarse", "blind", "rule", "auto"};
      for (int o = 0; o < 5; ++o)
        std::printf("%s,%g,%s,%.4f\n", kind, error, which[o], sum[o] / count);
    }
}

/// Local Redirect against those that know the arrivals and those that do not, for several patterns;
/// played_s is the time by the protocol's own play, with all its letters.
void redirect() {
  std::printf("bytes,arrivals,algorithm,run_s,played_s,letters\n");
  for (const double bytes : {131072.0, 4194304.0}) {
    const double d = curie.round_s(bytes);
    std::mt19937_64 random(20261121);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    std::vector<std::pair<const char*, ArrivalPattern>> patterns;
    const auto add = [&](const char* label, auto&& offset_of) {
      ArrivalPattern pattern = late_by(0.0);
      for (int r = 0; r < ranks; ++r) pattern.offset_s[static_cast<std::size_t>(r)] = offset_of(r);
      patterns.emplace_back(label, std::move(pattern));
    };
    add("equal", [](int) { return 0.0; });
    add("uniform over 1 round", [&](int) { return d * unit(random); });
    add("uniform over 5 rounds", [&](int) { return 5 * d * unit(random); });
    add("uniform over 20 rounds", [&](int) { return 20 * d * unit(random); });
    add("root late by 14 rounds", [&](int r) { return r == 0 ? 14 * d : 0.0; });
    add("rank 64 late by 14 rounds", [&](int r) { return r == 64 ? 14 * d : 0.0; });
    add("rank 127 late by 14 rounds", [&](int r) { return r == 127 ? 14 * d : 0.0; });
    add("odd ranks late by 14 rounds", [&](int r) { return r % 2 ? 14 * d : 0.0; });
    add("half of them late by 14 rounds", [&](int) { return random() % 2 ? 14 * d : 0.0; });
    for (const auto& [label, pattern] : patterns)
      for (const char* name : {"bnom", "local-redirect", "local-redirect-seg", "rabenseifner",
                               "two-tree", "clairvoyant"}) {
        const Algorithm& algorithm = get_algorithm(Operation::reduce, name);
        std::printf("%.0f,%s,%s,%.9g", bytes, label, name, run_s(name, reduction(bytes), pattern));
        if (algorithm.protocol != nullptr) {
          const Play played = play(algorithm.protocol, reduction(bytes), pattern);
          std::printf(",%.9g,%zu\n", played.run_time_s(pattern), played.letters);
        } else {
          std::printf(",,\n");
        }
      }
  }
}

/// What a forced algorithm makes of the forecast: arrivals as exact as they are worth.
ArrivalPattern with_reading(const Algorithm& algorithm, const Problem& problem,
                            const ArrivalPattern& guess) {
  if (algorithm.round_s == nullptr) return guess;
  return in_ticks(guess, tick_s(reading_for(guess, algorithm.round_s(problem, guess)), guess));
}

/// Uniform arrivals over some rounds of the whole vector: those that are told the arrivals, with an
/// error, against those that find them out and those that do neither. Mean simulated run time from
/// the first arrival on; a dynamic algorithm's is that of its own play, with all its letters, and
/// the last column how many the busiest process reads.
void dynamic() {
  std::printf("bytes,imbalance_rounds,algorithm,error_rounds,run_s,most_letters\n");
  const int p = 64, count = 40;
  for (const double bytes : {131072.0, 4194304.0})
    for (const double imbalance : {0.0, 1.0, 5.0, 20.0}) {
      Problem problem = reduction(bytes);
      problem.ranks = p;
      const double d = problem.cost.round_s(bytes);
      const auto mean = [&](const Algorithm& algorithm, double error) {
        std::mt19937_64 random(20261123);
        double sum_s = 0.0;
        std::size_t most = 0;
        for (int trial = 0; trial < count; ++trial) {
          ArrivalPattern truth = ArrivalPattern::flat(p);
          for (double& a : truth.offset_s)
            a = imbalance * d * std::uniform_real_distribution<double>(0.0, 1.0)(random);
          const ArrivalPattern guess = guess_of(truth, error * d, random);
          if (algorithm.protocol != nullptr) {
            const Play played = play(algorithm.protocol, problem, truth);
            sum_s += played.run_time_s(truth);
            most = std::max(most,
                            *std::max_element(played.letters_to.begin(), played.letters_to.end()));
            continue;
          }
          const Schedule schedule =
              build_schedule(algorithm, problem, with_reading(algorithm, problem, guess));
          sum_s += simulate(schedule, truth, model).run_time_s();
        }
        std::printf("%.0f,%g,%s,%g,%.6g,%zu\n", bytes, imbalance, algorithm.name.c_str(), error,
                    sum_s / count, most);
      };
      for (const char* name : {"bnom", "binomial-stat", "fibonacci-stat", "local-redirect",
                               "tree-dyn", "non-commut-tree-dyn"})
        mean(get_algorithm(Operation::reduce, name), 0.0);
      for (const int segments : {1, 0})
        for (const double error : {0.0, 0.5, 2.0, 8.0}) {
          Algorithm clairvoyant = get_algorithm(Operation::reduce, "clairvoyant");
          problem.segments = segments;
          if (segments == 1) clairvoyant.name += ":1";
          mean(clairvoyant, error);
        }
    }
}

/// Median processor time of `task`, seconds, once memory and caches are warm.
template <class Task>
double processor_s(Task task) {
  std::vector<double> times_s;
  for (int i = 0; i < 21; ++i) {
    const std::clock_t begin = std::clock();
    task();
    times_s.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return median(times_s);
}

/// The abstract's "from 1 MiB on, construction included": Clairvoyant simulated, with one late
/// process and with all together, and what its schedule takes, measured here, to choose the number
/// of segments (the leader) and to construct (each process, its own program), against the best of
/// the paper's four rivals, whose schedules need no arrivals and are kept.
void construction() {
  std::printf("bytes,arrivals,segments,clairvoyant_s,choice_s,construction_s,rival,rival_s\n");
  const Algorithm& clairvoyant = get_algorithm(Operation::reduce, "clairvoyant");
  for (double bytes = 65536; bytes <= 33554432; bytes *= 2)
    for (const bool late : {false, true}) {
      Problem problem = reduction(bytes);
      const double alone_s = run_s("clairvoyant", problem, late_by(0.0));
      const ArrivalPattern pattern = late_by(late ? alone_s : 0.0);
      const auto choose = [&] { return clairvoyant.tune(problem, pattern).segments; };
      const double choice_s = processor_s(choose);
      problem.segments = choose();
      const double time_s = run_s("clairvoyant", problem, pattern);
      problem.only_rank = 0;
      const double construction_s =
          processor_s([&] { build_schedule(clairvoyant, problem, pattern); });
      std::string best;
      double best_s = std::numeric_limits<double>::infinity();
      for (const char* name : {"bnom", "rabenseifner", "ring", "radix-k"})
        if (const double one_s = run_s(name, reduction(bytes), pattern); one_s < best_s) {
          best = name;
          best_s = one_s;
        }
      std::printf("%.0f,%s,%d,%.6g,%.3g,%.3g,%s,%.6g\n", bytes, late ? "one late" : "together",
                  problem.segments, time_s, choice_s, construction_s, best.c_str(), best_s);
    }
}

/// Section 5.3: what the last process costs after all others have reduced, by its three strategies
/// (one message; halves; the others as helpers), simulated, and the size at which the helpers get
/// ahead of the halves by the formulas; inf: nowhere. gamma is given as a multiple of beta.
void crossing() {
  std::printf("gamma_over_beta,bytes,one_message_s,halves_s,helpers_s,helpers_ahead_from_bytes\n");
  const int levels = 7;  // log2 of the processes
  const double long_s = 1e3;
  for (const double ratio : {curie.gamma_s_per_byte / curie.beta_s_per_byte, 1.0, 2.0, 3.0, 8.0}) {
    CostModel costs = model;
    costs.gamma_s_per_byte = ratio * costs.beta_s_per_byte;
    const double gain_s_per_byte =
        (0.5 - 1.0 / ranks) * (costs.gamma_s_per_byte - 2 * costs.beta_s_per_byte);
    const double from_bytes = gain_s_per_byte > 0
                                  ? 2 * costs.alpha_s * (levels - 1) / gain_s_per_byte
                                  : std::numeric_limits<double>::infinity();
    for (const double bytes : {16384.0, 65536.0, 131072.0, 4194304.0, 67108864.0}) {
      const auto late_s = [&](const char* name, int segments) {
        Problem problem = reduction(bytes);
        problem.units = 1024;
        problem.unit_bytes = static_cast<std::size_t>(bytes / 1024);
        problem.cost.gamma_s_per_byte = costs.gamma_s_per_byte;
        problem.segments = segments;
        const Algorithm& algorithm = get_algorithm(Operation::reduce, name);
        const Schedule schedule = build_schedule(algorithm, problem, late_by(long_s));
        return simulate(schedule, late_by(long_s), costs).run_time_s() - long_s;
      };
      std::printf("%.3g,%.0f,%.6g,%.6g,%.6g,%.6g\n", ratio, bytes, late_s("clairvoyant", 1),
                  late_s("clairvoyant", 2), late_s("helpers", 0), from_bytes);
    }
  }
}

}  // namespace
}  // namespace pat

int main(int argc, char** argv) {
  const std::vector<std::pair<std::string, void (*)()>> studies = {
      {"delay", pat::delays},          {"balanced", pat::balanced},
      {"absorption", pat::absorption}, {"segments", pat::segments},
      {"orders", pat::orders},         {"forecast", pat::forecast},
      {"redirect", pat::redirect},     {"dynamic", pat::dynamic},
      {"crossing", pat::crossing},     {"construction", pat::construction}};
  std::vector<std::string> names;
  for (const auto& [name, study] : studies) names.push_back(name);
  std::string what;
  CLI::App app("Run times of reductions, simulated, as CSV", "reduce_study");
  pat::measure::HelpFormatter::use(app);
  app.add_option("study", what, pat::join(names, ", "))->required();
  return pat::measure::run_program(app, argc, argv, [&] {
    for (const auto& [name, study] : studies)
      if (name == what) return study(), 0;
    throw pat::Error(pat::ErrorKind::argument,
                     "there is no study '" + what + "', " +
                         pat::did_you_mean("", what, names, "see reduce_study --help"));
  });
}
