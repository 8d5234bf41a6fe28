// How far `auto` is from the best choice in hindsight, simulated: libpat's agreement (models of the
// computing times, reports, leader, judge, leases) decides calls whose times are simulated on links
// that it has measured roughly, by algorithms each of which takes longer or shorter than the model
// says by a factor that it does not know. No MPI.
//
//   simulated_regret [--quick] [--check] [--seed N] [--calls N] [--lease N [--blind]]
//                    [--sizes-at-once [--alone]] [--slow-first N] [--slow-mpi N] [--noise SD]
//                    [--costs FACTOR] [--unasked BYTES] [--network NAMES] [--edge SHARES]
//
// Not simulated: what reports, decisions and thinking cost. Deterministic for a seed.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "collectives/cost/reading.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/seconds.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "libpat/agreement/judge.hpp"
#include "libpat/agreement/leader.hpp"
#include "libpat/agreement/recall.hpp"
#include "measure/command_line.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"
#include "predictors/predictor.hpp"

namespace {

using namespace pat;
using pat::detail::Decision;
using pat::detail::Judge;
using pat::detail::Leader;
using pat::detail::Report;
using pat::detail::StreamKind;

constexpr double base_s = 12e-3;  // of every computing phase
constexpr double unpredictable =
    0.02;                       // of a phase that an edge cannot tell, as a share of the rest
constexpr double hidden = 0.2;  // how far the model is off for an algorithm
/// How alike that is for several sizes: the correlation of its logarithms for two of them is the
/// square.
constexpr double alike = 0.9;
constexpr double usual_noise = 0.04;
constexpr double disturbance = 2.5;  // of a call that something else makes slow
constexpr int warm_up = 20;

struct Network {
  std::string name;
  int ranks;
  CostModel truth;
  double delay_s = 10e-3;  ///< about what a vector of 1 MiB takes on a link
};

struct Cell {
  Network network;
  Operation operation;
  std::size_t bytes;  ///< in all
  std::string pattern;
  double delay_s;
  double edge;  ///< 0: none

  std::string label() const { return line(9); }
  /// What the hidden factors are drawn from: not to change with the looks of the table.
  std::string key() const { return line(7); }
  /// Of cells of other sizes, whose factors are mostly the same: in place of the size's part.
  std::string key_of_all_sizes() const {
    Cell any = *this;
    any.bytes = 0;
    return any.line(7);
  }
  bool changes() const { return pattern == "change"; }
  /// Equal arrivals for half of the calls.
  bool changes_once() const { return pattern == "then-unif"; }

 private:
  std::string line(int operation_width) const {
    char text[160];
    std::snprintf(text, sizeof text, "%-9s %-*s %8zu %-9s %5.1f ms %4.1f", network.name.c_str(),
                  operation_width, std::string(name(operation)).c_str(), bytes, pattern.c_str(),
                  1e3 * delay_s, edge);
    return text;
  }
};

/// Computing times of one call.
std::vector<double> computing_s(const Cell& cell, int call, int calls, std::mt19937_64& random) {
  const int ranks = cell.network.ranks;
  std::uniform_real_distribution<double> any(0.0, 1.0);
  std::mt19937_64 fixed(7);
  std::vector<double> times(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    const double own = any(fixed), anew = any(random);
    double late = 0.0;
    if (cell.pattern == "uniform") late = anew;
    if (cell.pattern == "fixed") late = own;
    if (cell.pattern == "wave")
      late = 0.5 + 0.5 * std::sin(2 * M_PI * (r / double(ranks) + call / 60.0));
    if (cell.pattern == "one-late") late = r == ranks - 1;
    if (cell.pattern == "other-late") late = r % 2;
    if (cell.pattern == "late-root") late = r == 0;
    if (cell.pattern == "then-unif") late = call >= calls / 2 ? anew : 0.0;
    if (cell.pattern == "change") late = call >= calls / 3 && call < 2 * calls / 3 ? own : 0.0;
    times[static_cast<std::size_t>(r)] = base_s + cell.delay_s * late + 30e-6 * any(random);
  }
  return times;
}

/// A schedule as a decision has it, or the library's.
struct Way {
  const Algorithm* algorithm = nullptr;
  int window = 0;
  Reading reading = Reading::exact;
  std::string label() const {
    std::string text = algorithm->name;
    if (window > 0) text += " w" + std::to_string(window);
    if (reading == Reading::coarse) text += " coarse";
    if (reading == Reading::blind) text += " blind";
    return text;
  }
};

class Game {
 public:
  Game(const Cell& cell, std::uint64_t seed, int calls, double costs,
       bool one_of_several_sizes = false)
      : cell_(cell),
        calls_(calls),
        seed_(seed),
        one_of_several_sizes_(one_of_several_sizes),
        random_(seed) {
    kind_.signature.operation = cell.operation;
    const OperationRow& operation = row(cell.operation);
    kind_.signature.unit_bytes = operation.combines ? 8 : 1;
    kind_.signature.block_bytes = operation.in_blocks()
                                      ? cell.bytes / static_cast<std::size_t>(cell.network.ranks)
                                      : cell.bytes;
    kind_.signature.block_bytes -= kind_.signature.block_bytes % kind_.signature.unit_bytes;
    kind_.ranks = cell.network.ranks;
    kind_.early = true;
    const auto roughly = [&] { return std::exp(0.1 * normal_(random_)); };
    config_.alpha_s = costs * cell.network.truth.alpha_s * roughly();
    config_.beta_s_per_byte = costs * cell.network.truth.beta_s_per_byte * roughly();
    calibration_.eager_bytes = cell.network.truth.eager_bytes;
    plan_.cost = {config_.alpha_s, config_.beta_s_per_byte, config_.gamma_s_per_byte,
                  calibration_.eager_bytes};
    ways_.push_back({&get_algorithm(cell.operation, "mpi"), 0, Reading::exact});
    for (const Candidate& one : candidates_for(problem_of({}), true))
      ways_.push_back({one.algorithm, one.window, one.reading});
    mpi_ = price_mpi(problem_of({}), cell.network.truth, 0.0);
    times_s_.resize(ways_.size());
    told_.resize(static_cast<std::size_t>(kind_.ranks));
    for (int r = 0; r < kind_.ranks; ++r) models_.push_back(make_predictor(config_.predictor));
    leader_.emplace(kind_.ranks, static_cast<std::uint32_t>(config_.lease_max));
    judge_.emplace(
        config_, calibration_, kind_, +[] { return std::int64_t{0}; });
  }

  void play() {
    double now_s = 1.0;
    for (int call = 0; call < calls_; ++call) play(call, now_s, {});
  }

  /// One call, which begins at `now_s`; `others` are streams of the same program.
  void play(int call, double& now_s, const std::vector<Game*>& others) {
    start_s_ = now_s;
    const std::vector<double> computing = computing_s(cell_, call, calls_, random_);
    const auto number = static_cast<std::uint32_t>(call);
    const ArrivalPattern forecast = foretell(models_, computing, number);
    const ArrivalPattern actual = arrivals(computing);
    const bool covered = decision_ && decision_->covers(number);
    if (covered && call > 0 && !blind)
      end_if_left(computing, number, now_s, *leader_, *judge_, *decision_);
    if (call > 0 && (!covered || decision_->live))
      for (int r = 0; r < kind_.ranks; ++r) leader_->take(r, reports_[static_cast<std::size_t>(r)]);
    if (call == 0) {
      decision_ = first();
    } else if (!covered) {
      if (const auto past = leader_->measured()) judge_->learn(*past, {});
      hear(others);
      Decision next = decide(*leader_, *judge_, number, now_s);
      const bool same = !next.live && !judge_->tries() && decision_->algorithm == next.algorithm;
      if (same && lease > 0) next.count = std::min(2 * std::max(1u, decision_->count), lease);
      decision_ = next;
      trials_ += judge_->tries();
      for (std::size_t r = 0; r < reports_.size(); ++r)
        told_[r] = {reports_[r].forecast_s, reports_[r].half_width_s};
    }
    if (decision_->live) set_pattern(*decision_, leader_->pattern(number), 0.0);
    const double auto_s = run_time_s(*decision_, actual, call) * disturbed(decision_->chosen());
    auto_s_.push_back(auto_s);
    taken_[decision_->chosen().name]++;
    decided_at_.push_back(decision_->live ? call : static_cast<int>(decision_->first));
    if (trace)
      std::printf("  %3d %-20s %8.3f ms  %s\n", call, decision_->chosen().name.c_str(),
                  1e3 * auto_s, decision_->reason.c_str());
    for (std::size_t w = 0; w < ways_.size(); ++w)
      times_s_[w].push_back(time_of_way(w, forecast, actual, call));
    now_s += *std::max_element(computing.begin(), computing.end()) + auto_s;
    look_back(actual, auto_s, number, now_s);
    for (int r = 0; r < kind_.ranks; ++r)
      models_[static_cast<std::size_t>(r)]->observe({computing[static_cast<std::size_t>(r)], {}});
  }

  int trials() const { return trials_; }
  bool trace = false;
  /// A decision like the one before lasts twice as long, up to so many calls, whatever deciding
  /// costs; 0: as the judge says. It is not called back if `blind`.
  std::uint32_t lease = 0;
  bool blind = false;
  /// So many calls of each way are disturbed, the first ones, and so many of the library's.
  int slow_first = 0, slow_mpi = 0;
  double noise = usual_noise;  ///< of a call, of the logarithm

  /// Mean over calls `from` to `until`.
  double mean_of_way(std::size_t way, int from, int until) const {
    return mean_between(times_s_[way], from, until);
  }
  double mean_of_auto(int from, int until) const { return mean_between(auto_s_, from, until); }
  std::size_t best(int from, int until) const {
    std::size_t found = 0;
    for (std::size_t w = 1; w < ways_.size(); ++w)
      if (mean_of_way(w, from, until) < mean_of_way(found, from, until)) found = w;
    return found;
  }
  const Way& way(std::size_t index) const { return ways_[index]; }
  /// Calls from `from` on until three in a row are within a tenth of the best way's.
  int settling(int from, int until) const {
    const std::size_t w = best(from, until);
    for (int call = from; call + 2 < until; ++call) {
      bool good = true;
      for (int i = call; i < call + 3; ++i)
        good = good && auto_s_[static_cast<std::size_t>(i)] <=
                           1.1 * times_s_[w][static_cast<std::size_t>(i)];
      if (good) return call - from;
    }
    return until - from;
  }
  /// Calls from `from` on until one is decided by what is known since then.
  int blind_calls(int from, int until) const {
    for (int call = from; call < until; ++call)
      if (decided_at_[static_cast<std::size_t>(call)] > from) return call - from;
    return until - from;
  }
  std::string taken() const { return counted(taken_); }

 private:
  static double mean_between(const std::vector<double>& times, int from, int until) {
    double sum = 0.0;
    for (int i = from; i < until; ++i) sum += times[static_cast<std::size_t>(i)];
    return sum / (until - from);
  }

  Problem problem_of(const Decision& decision) const {
    return pat::detail::problem_of(kind_, decision, {});
  }

  static ArrivalPattern arrivals(const std::vector<double>& computing) {
    ArrivalPattern actual{computing, {}, 0};
    const double first = *std::min_element(computing.begin(), computing.end());
    for (double& offset : actual.offset_s) offset -= first;
    return actual;
  }

  /// What the processes report, and the pattern that it makes.
  ArrivalPattern foretell(const std::vector<std::unique_ptr<Predictor>>& models,
                          const std::vector<double>& computing, std::uint32_t call) {
    reports_.resize(models.size());
    Leader all(kind_.ranks, 1);
    for (std::size_t r = 0; r < models.size(); ++r) {
      if (cell_.edge > 0.0)
        models[r]->observe_edge(cell_.edge,
                                computing[r] * cell_.edge *
                                    (1.0 + unpredictable * (1.0 - cell_.edge) * normal_(random_)));
      const Forecast forecast = models[r]->forecast();
      Report report;
      report.call = call;
      if (forecast.known) {
        report.forecast_s = static_cast<float>(forecast.mean_s);
        report.half_width_s = static_cast<float>(forecast.half_width_s());
        report.arrival_ns = static_cast<std::int64_t>((start_s_ + forecast.mean_s) * 1e9);
      }
      report.past_call = reports_[r].past_call;
      report.past_arrival_ns = reports_[r].past_arrival_ns;
      report.past_exit_ns = reports_[r].past_exit_ns;
      reports_[r] = report;
      all.take(static_cast<int>(r), report);
    }
    return all.pattern(call);
  }

  void look_back(const ArrivalPattern& actual, double run_s, std::uint32_t call, double now_s) {
    for (std::size_t r = 0; r < reports_.size(); ++r) {
      reports_[r].past_call = call;
      reports_[r].past_arrival_ns =
          static_cast<std::int64_t>((now_s - run_s + actual.offset_s[r]) * 1e9);
      reports_[r].past_exit_ns = static_cast<std::int64_t>(now_s * 1e9);
    }
  }

  /// What the other streams have learnt, as their common leader tells.
  void hear(const std::vector<Game*>& others) {
    if (!judge_->may_hear()) return;
    std::vector<Calibration::Learnt> all;
    for (const Game* other : others)
      if (other != this)
        for (const Calibration::Learnt& one : other->judge_->learnt()) all.push_back(one);
    judge_->tell(std::move(all));
  }

  /// What a process says when it comes to call `call` ends the lease two calls later: the leader
  /// calls it back at the next one, and everybody does one more.
  void end_if_left(const std::vector<double>& computing, std::uint32_t call, double now_s,
                   Leader& leader, Judge& judge, Decision& decision) {
    constexpr std::uint32_t later = 3;
    bool left = false;
    for (std::size_t r = 0; r < computing.size(); ++r)
      left = left || told_[r].is_left_by(computing[r], decision.tolerated_s);
    if (!left || decision.live || !decision.covers(call + later) ||
        !judge.may_recall(static_cast<std::int64_t>(now_s * 1e9),
                          decision.first + decision.count - call))
      return;
    decision.count = call + later - decision.first;
    judge.recall(call + later);
    leader.start_over();
  }

  Decision first() const {
    Decision decision;
    decision.choose(get_algorithm(cell_.operation, "mpi"));
    decision.count = 1;
    set_pattern(decision, ArrivalPattern::flat(kind_.ranks));
    return decision;
  }

  Decision decide(Leader& leader, Judge& judge, std::uint32_t call, double now_s) {
    Decision decision = first();
    decision.first = call;
    const ArrivalPattern pattern = leader.pattern(call);
    judge.decide(pattern, {}, 0, static_cast<std::int64_t>(now_s * 1e9), decision);
    judge.set_lease(leader, pattern, decision);
    return decision;
  }

  /// By how much a call takes longer as something else was going on.
  double disturbed(const Algorithm& algorithm) const {
    const auto taken = taken_.find(algorithm.name);
    const int before = taken == taken_.end() ? 0 : taken->second;
    return before < (is_library(algorithm) ? slow_mpi : slow_first) ? disturbance : 1.0;
  }

  /// By how much an algorithm takes longer than the model says.
  double hidden_factor(const std::string& algorithm) const {
    std::mt19937_64 own(std::hash<std::string>()(algorithm + cell_.key()) ^ seed_);
    std::normal_distribution<double> normal;
    double off = normal(own);
    if (one_of_several_sizes_) {
      std::mt19937_64 all(std::hash<std::string>()(algorithm + cell_.key_of_all_sizes()) ^ seed_);
      off = alike * std::normal_distribution<double>()(all) + std::sqrt(1.0 - alike * alike) * off;
    }
    const double factor = std::exp(hidden * off);
    return algorithm == "mpi" ? factor * std::exp(std::abs(normal(own)) * 0.3) : factor;
  }
  double noise_of(const std::string& algorithm, int call) const {
    std::mt19937_64 own(std::hash<std::string>()(algorithm) ^ (seed_ + 31 * call));
    return std::exp(noise * std::abs(std::normal_distribution<double>()(own)));
  }
  CostModel truth_of(const std::string& algorithm, int call) const {
    return corrected(cell_.network.truth, hidden_factor(algorithm) * noise_of(algorithm, call));
  }

  double run_time_s(const Decision& decision, const ArrivalPattern& actual, int call) const {
    const Algorithm& algorithm = decision.chosen();
    const CostModel truth = truth_of(algorithm.name, call);
    if (is_library(algorithm)) return mpi_run_time_s(mpi_, problem_of({}), actual, truth);
    const Problem problem = problem_of(decision);
    const ArrivalPattern read = algorithm.protocol != nullptr ? actual : decision.pattern();
    return simulate(build_schedule(algorithm, problem, read), actual, truth).run_time_s();
  }

  double time_of_way(std::size_t index, const ArrivalPattern& forecast,
                     const ArrivalPattern& actual, int call) const {
    const Way& way = ways_[index];
    Decision decision = plan_;
    decision.choose(*way.algorithm);
    if (is_library(*way.algorithm)) return run_time_s(decision, actual, call);
    decision.window = static_cast<std::uint32_t>(way.window);
    set_pattern(decision, forecast, tick_s(way.reading, forecast));
    if (way.algorithm->tune != nullptr && !way.algorithm->root_ordered) {
      const Tuning tuning = way.algorithm->tune(problem_of(decision), decision.pattern());
      decision.segments = static_cast<std::uint32_t>(tuning.segments);
      decision.variant = tuning.variant;
    }
    return run_time_s(decision, actual, call);
  }

  const Cell cell_;
  const int calls_;
  const std::uint64_t seed_;
  const bool one_of_several_sizes_;
  mutable std::mt19937_64 random_;
  mutable std::normal_distribution<double> normal_;
  Config config_;
  Calibration calibration_;
  StreamKind kind_;
  Decision plan_;
  MpiPrice mpi_;
  std::vector<Way> ways_;
  std::vector<std::vector<double>> times_s_;
  std::vector<double> auto_s_;
  std::vector<int> decided_at_;  ///< by what is known at which call each was decided
  std::map<std::string, int> taken_;
  std::vector<Report> reports_;
  std::vector<pat::detail::Told> told_;
  double start_s_ = 1.0;
  std::vector<std::unique_ptr<Predictor>> models_;
  std::optional<Leader> leader_;
  std::optional<Judge> judge_;
  std::optional<Decision> decision_;
  int trials_ = 0;
};

std::vector<Operation> operations_of(const std::vector<std::string>& names) {
  std::vector<Operation> operations;
  for (const std::string& name : names) {
    const auto found = find_operation(name);
    if (!found)
      throw Error(ErrorKind::argument,
                  "there is no operation '" + name + "', choose some of " + operation_names());
    if (row(*found).among_neighbours())
      throw Error(ErrorKind::argument, "whom " + name +
                                           " goes to depends on the program, choose an operation "
                                           "among all processes");
    operations.push_back(*found);
  }
  return operations;
}

/// Fat trees that carry all links' traffic, of 10 Gbit/s, as in bench/simgrid.
std::vector<Network> networks_of(const std::vector<std::string>& names) {
  const CostModel gigabit{.alpha_s = 30e-6, .beta_s_per_byte = 8.5e-9};
  const CostModel fat_tree{.alpha_s = 4e-6, .beta_s_per_byte = 0.8e-9};
  CostModel stalling = gigabit;
  stalling.incast_stall_s = 0.5e-3;
  const std::vector<std::pair<std::string, Network>> all = {
      {"8x1G", {"8 x 1G", 8, gigabit}},
      {"8x100M", {"8 x 100M", 8, {.alpha_s = 60e-6, .beta_s_per_byte = 85e-9}, 60e-3}},
      {"48x1G", {"48 x 1G", 48, gigabit}},
      {"48incast", {"48 incast", 48, stalling}},
      {"tree128", {"tree 128", 128, fat_tree, 1e-3}},
      {"tree1024", {"tree 1024", 1024, fat_tree, 1e-3}}};
  std::vector<Network> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& network) { return network.first == name; });
    if (found == all.end())
      throw Error(ErrorKind::argument, "there is no network '" + name +
                                           "', choose some of 8x1G, 8x100M, 48x1G, 48incast, "
                                           "tree128, tree1024");
    chosen.push_back(found->second);
  }
  return chosen;
}

/// What the cells of a table are made of.
struct Choice {
  std::vector<Network> networks;
  std::vector<Operation> operations;
  std::vector<std::size_t> sizes;
  std::vector<double> edges;
  bool leases = false;  ///< only what they matter for
};

std::vector<Cell> cells(const Choice& choice) {
  std::vector<std::string> patterns = {"equal",      "uniform",   "fixed",  "wave",     "one-late",
                                       "other-late", "late-root", "change", "then-unif"};
  if (choice.leases) patterns = {"then-unif"};
  std::vector<Cell> all;
  for (const Network& network : choice.networks)
    for (const Operation operation : choice.operations)
      for (const std::size_t bytes : choice.sizes)
        for (const std::string& pattern : patterns)
          for (const double edge : choice.edges)
            if (pattern != "equal" || edge == choice.edges.front())
              all.push_back({network, operation, bytes, pattern, network.delay_s,
                             pattern == "equal" ? 0.0 : edge});
  return all;
}

/// Cells of a program that makes calls of several sizes in turn.
std::vector<std::vector<Cell>> cells_of_several_sizes(const Choice& choice) {
  std::vector<std::vector<Cell>> groups;
  for (const Cell& cell : cells(choice)) {
    if (cell.changes() || cell.changes_once()) continue;
    std::vector<Cell> group;
    for (const int doublings : {-2, -1, 0, 1}) {
      group.push_back(cell);
      group.back().bytes = static_cast<std::size_t>(std::ldexp(cell.bytes, doublings));
    }
    groups.push_back(group);
  }
  return groups;
}

struct Aims {
  int trials = 0;
  int cells = 0, near_best = 0, near_mpi = 0, could_gain = 0, gained = 0, changes = 0, settled = 0;
  std::vector<double> to_best, to_mpi;

  /// What the whole table must come to. Single cells miss the aims: where many ways cost alike by
  /// the model, finding the one that is better takes more trials than a hundredth of the time pays.
  bool reached() const {
    return near_best >= 0.85 * cells && near_mpi >= 0.97 * cells && gained >= 0.9 * could_gain &&
           settled >= 0.8 * changes && quantile(to_mpi, 1.0) <= 1.05;
  }
  void print() const {
    std::printf(
        "\n%d cells; within 5 %% of the best: %d; at most 1.02 of mpi: %d; at least 80 %% of a "
        "gain "
        "of 10 %% or more: %d of %d; settled within 5 calls of a change: %d of %d\n"
        "auto over best: median %.3f, 90 %% quantile %.3f, largest %.3f; auto over mpi: median "
        "%.3f, largest %.3f\n",
        cells, near_best, near_mpi, gained, could_gain, settled, changes, median(to_best),
        quantile(to_best, 0.9), *std::max_element(to_best.begin(), to_best.end()), median(to_mpi),
        *std::max_element(to_mpi.begin(), to_mpi.end()));
    if (trials > 0) std::printf("%d trials\n", trials);
  }
};

/// One line of the table: of the calls from `from` to `until`.
void judge_cell(const Cell& cell, const Game& game, int from, int until, const char* part,
                Aims& aims) {
  const std::size_t best = game.best(from, until);
  const double best_s = game.mean_of_way(best, from, until);
  const double mpi_s = game.mean_of_way(0, from, until);
  const double auto_s = game.mean_of_auto(from, until);
  ++aims.cells;
  aims.trials += game.trials();
  aims.to_best.push_back(auto_s / best_s);
  aims.to_mpi.push_back(auto_s / mpi_s);
  aims.near_best += auto_s <= 1.05 * best_s;
  aims.near_mpi += auto_s <= 1.02 * mpi_s;
  if (best_s <= 0.9 * mpi_s) {
    ++aims.could_gain;
    aims.gained += mpi_s - auto_s >= 0.8 * (mpi_s - best_s);
  }
  std::printf("%s %-6s %9.3f %6.3f %-22s %6.3f %6.3f  %s\n", cell.label().c_str(), part,
              1e3 * mpi_s, best_s / mpi_s, game.way(best).label().c_str(), auto_s / best_s,
              auto_s / mpi_s, game.taken().c_str());
  std::fflush(stdout);
}

/// Calls of several sizes in turn, which tell each other what they learn unless they are `alone`.
void play_several_sizes(const std::vector<Cell>& group, std::uint64_t seed, int calls, double costs,
                        bool alone, Aims& aims) {
  std::vector<std::unique_ptr<Game>> games;
  std::vector<Game*> streams;
  for (const Cell& cell : group)
    games.push_back(std::make_unique<Game>(cell, seed, calls, costs, true));
  for (const auto& game : games)
    if (!alone) streams.push_back(game.get());
  double now_s = 1.0;
  for (int call = 0; call < calls; ++call)
    for (const auto& game : games) game->play(call, now_s, streams);
  for (std::size_t i = 0; i < group.size(); ++i)
    judge_cell(group[i], *games[i], warm_up, calls, "all", aims);
}

int run(int argc, char** argv) {
  bool sizes_at_once = false, alone = false;
  bool quick = false, trace = false, check = false, blind = false;
  std::uint32_t lease = 0;
  std::uint64_t seed = 1;
  std::size_t unasked = 0;
  int calls = 150, slow_first = 0, slow_mpi = 0;
  double noise = usual_noise, costs = 1.0;
  std::string only;
  std::vector<std::string> networks;
  std::vector<double> edges;
  // One of each kind: to the root, from it, combining there and everywhere.
  std::vector<std::string> names = {"gather", "scatter", "reduce", "allreduce"};
  CLI::App app("How far auto is from the best choice in hindsight, simulated", "simulated_regret");
  pat::measure::HelpFormatter::use(app);
  app.add_flag("--quick", quick, "8 processes and 1 MiB alone");
  app.add_flag("--check", check, "End with 1 if the table misses what it must come to");
  app.add_option("--seed", seed, "Of arrivals, noise and hidden factors");
  app.add_option("--calls", calls, "Of each cell")->check(CLI::Range(60, 100000));
  app.add_option("--network", networks,
                 "8x1G, 8x100M, 48x1G, 48incast, tree128, tree1024 (default the first four, of "
                 "--quick two)")
      ->delimiter(',');
  app.add_option("--edge", edges,
                 "Shares of a phase at which it is told, 0 nowhere (default "
                 "0,0.5,0.9, of --quick 0,0.5)")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 0.99));
  app.add_option("--op", names, "Operations")->delimiter(',')->capture_default_str();
  app.add_option("--only", only, "Cells whose line begins with or contains this");
  app.add_option("--lease", lease,
                 "Decisions that stay last up to so many calls; 0: as deciding costs");
  app.add_flag("--blind", blind, "Nobody says when he leaves what a lease was given for");
  CLI::Option* several = app.add_flag("--sizes-at-once", sizes_at_once,
                                      "Calls of 256 KiB to 2 MiB in turn, 8 processes");
  app.add_flag("--alone", alone, "What calls of one size tell is not told to those of another");
  app.add_option("--slow-first", slow_first,
                 "So many first calls of each way but mpi take 2.5 times as long")
      ->check(CLI::Range(0, 1000))
      ->excludes(several);
  app.add_option("--slow-mpi", slow_mpi, "So do the first calls of mpi")
      ->check(CLI::Range(0, 1000))
      ->excludes(several);
  app.add_option("--noise", noise, "How much calls differ: of the logarithm of their times")
      ->check(CLI::Range(0.0, 3.0))
      ->excludes(several);
  app.add_option("--costs", costs, "Messages are taken to cost so many times what they do")
      ->check(CLI::Range(0.001, 1000.0));
  pat::measure::takes_bytes(app.add_option("--unasked", unasked,
                                           "Messages of up to so many bytes leave before their "
                                           "receiver has come, as is known; 0: none"));
  app.add_flag("--trace", trace, "A line a call");
  return pat::measure::run_program(app, argc, argv, [&] {
    std::printf("%-9s %-9s %8s %-9s %8s %4s %-6s %9s %6s %-22s %6s %6s  %s\n", "network", "op",
                "bytes", "pattern", "delay", "edge", "calls", "mpi ms", "best/m", "best", "a/best",
                "a/mpi", "taken");
    Aims aims;
    const bool few = quick || sizes_at_once;
    if (networks.empty())
      networks = few ? std::vector<std::string>{"8x1G", "8x100M"}
                     : std::vector<std::string>{"8x1G", "8x100M", "48x1G", "48incast"};
    if (edges.empty()) edges = few ? std::vector{0.0, 0.5} : std::vector{0.0, 0.5, 0.9};
    Choice choice{
        networks_of(networks), operations_of(names), {std::size_t{1} << 20}, edges, lease > 0};
    if (!few) choice.sizes = {std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{8} << 20};
    for (Network& network : choice.networks) network.truth.eager_bytes = unasked;
    for (const std::vector<Cell>& group :
         sizes_at_once ? cells_of_several_sizes(choice) : std::vector<std::vector<Cell>>{})
      if (only.empty() || group.front().label().find(only) != std::string::npos)
        play_several_sizes(group, seed, calls, costs, alone, aims);
    for (const Cell& cell : sizes_at_once ? std::vector<Cell>{} : cells(choice)) {
      if (!only.empty() && cell.label().find(only) == std::string::npos) continue;
      Game game(cell, seed, calls, costs);
      game.trace = trace;
      game.lease = lease;
      game.blind = blind;
      game.slow_first = slow_first;
      game.slow_mpi = slow_mpi;
      game.noise = noise;
      game.play();
      if (cell.changes_once()) {
        judge_cell(cell, game, calls / 2 + 5, calls, "after", aims);
        ++aims.changes;
        const int until_decided = game.blind_calls(calls / 2, calls);
        std::printf("%s decided anew %d calls after the change\n", cell.label().c_str(),
                    until_decided);
        aims.settled += until_decided <= 5;
        continue;
      }
      if (!cell.changes()) {
        judge_cell(cell, game, warm_up, calls, "all", aims);
        continue;
      }
      const int third = calls / 3;
      judge_cell(cell, game, third + 5, 2 * third, "after", aims);
      judge_cell(cell, game, 2 * third + 5, calls, "back", aims);
      for (const int from : {third, 2 * third}) {
        ++aims.changes;
        aims.settled += game.settling(from, from + third) <= 5;
      }
    }
    if (aims.cells == 0) throw Error(ErrorKind::argument, "no cell has '" + only + "' in its line");
    aims.print();
    const bool reached = lease > 0 ? aims.settled == aims.changes : aims.reached();
    return check && !reached ? 1 : 0;
  });
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv);
}
