#include "bench/regret/simulated/game.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "collectives/cost/simulate.hpp"
#include "collectives/operation_row.hpp"
#include "core/text.hpp"

namespace pat::simulated {
namespace {

constexpr double unpredictable = 0.02;  // of a phase that an edge cannot tell, a share of the rest
constexpr double hidden = 0.2;          // how far the model is off for an algorithm
/// How alike that is for several sizes: the correlation of its logarithms for two of them is the
/// square.
constexpr double alike = 0.9;
constexpr double disturbance = 2.5;  // of a call that something else makes slow

double mean_between(const std::vector<double>& times, int from, int until) {
  double sum = 0.0;
  for (int i = from; i < until; ++i) sum += times[static_cast<std::size_t>(i)];
  return sum / (until - from);
}

ArrivalPattern arrivals(const std::vector<double>& computing) {
  ArrivalPattern actual{computing, {}, 0};
  const double first = *std::min_element(computing.begin(), computing.end());
  for (double& offset : actual.offset_s) offset -= first;
  return actual;
}

}  // namespace

std::string Way::label() const {
  std::string text = algorithm->name;
  if (window > 0) text += " w" + std::to_string(window);
  if (reading == Reading::coarse) text += " coarse";
  if (reading == Reading::blind) text += " blind";
  return text;
}

Game::Game(const Cell& cell, std::uint64_t seed, int calls, double costs, bool one_of_several_sizes)
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
  if (cell.network.truth.shared.any() && cell.network.shared_known)
    calibration_.shared =
        cell.network.truth.shared.times(costs * std::exp(0.25 * normal_(random_)));
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

void Game::play() {
  double now_s = 1.0;
  for (int call = 0; call < calls_; ++call) play(call, now_s, {});
}

void Game::play(int call, double& now_s, const std::vector<Game*>& others) {
  start_s_ = now_s;
  const std::vector<double> computing = computing_s(cell_, call, calls_, random_);
  const auto number = static_cast<std::uint32_t>(call);
  const ArrivalPattern forecast = foretell(computing, number);
  const ArrivalPattern actual = arrivals(computing);
  const bool covered = decision_ && decision_->covers(number);
  if (covered && call > 0 && !blind) end_if_left(computing, number, now_s);
  if (call > 0 && (!covered || decision_->live))
    for (int r = 0; r < kind_.ranks; ++r) leader_->take(r, reports_[static_cast<std::size_t>(r)]);
  if (call == 0) {
    decision_ = first();
  } else if (!covered) {
    if (const auto past = leader_->measured()) judge_->learn(*past, {});
    hear(others);
    Decision next = decide(number, now_s);
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
    std::printf("  %3d %-20s %8.3f ms  %s\n", call, decision_->chosen().name.c_str(), 1e3 * auto_s,
                decision_->reason.c_str());
  for (std::size_t w = 0; w < ways_.size(); ++w)
    times_s_[w].push_back(time_of_way(w, forecast, actual, call));
  now_s += *std::max_element(computing.begin(), computing.end()) + auto_s;
  look_back(actual, auto_s, number, now_s);
  for (int r = 0; r < kind_.ranks; ++r)
    models_[static_cast<std::size_t>(r)]->observe({computing[static_cast<std::size_t>(r)], {}});
}

double Game::mean_of_way(std::size_t way, int from, int until) const {
  return mean_between(times_s_[way], from, until);
}

double Game::mean_of_auto(int from, int until) const {
  return mean_between(auto_s_, from, until);
}

std::size_t Game::best(int from, int until) const {
  std::size_t found = 0;
  for (std::size_t w = 1; w < ways_.size(); ++w)
    if (mean_of_way(w, from, until) < mean_of_way(found, from, until)) found = w;
  return found;
}

int Game::settling(int from, int until) const {
  const std::size_t w = best(from, until);
  for (int call = from; call + 2 < until; ++call) {
    bool good = true;
    for (int i = call; i < call + 3; ++i)
      good = good &&
             auto_s_[static_cast<std::size_t>(i)] <= 1.1 * times_s_[w][static_cast<std::size_t>(i)];
    if (good) return call - from;
  }
  return until - from;
}

int Game::blind_calls(int from, int until) const {
  for (int call = from; call < until; ++call)
    if (decided_at_[static_cast<std::size_t>(call)] > from) return call - from;
  return until - from;
}

std::string Game::taken() const {
  return counted(taken_);
}

Problem Game::problem_of(const Decision& decision) const {
  return pat::detail::problem_of(kind_, decision, {});
}

/// What the processes report, and the pattern that it makes.
ArrivalPattern Game::foretell(const std::vector<double>& computing, std::uint32_t call) {
  reports_.resize(models_.size());
  Leader all(kind_.ranks, 1);
  for (std::size_t r = 0; r < models_.size(); ++r) {
    if (cell_.edge > 0.0)
      models_[r]->observe_edge(cell_.edge,
                               computing[r] * cell_.edge *
                                   (1.0 + unpredictable * (1.0 - cell_.edge) * normal_(random_)));
    const Forecast forecast = models_[r]->forecast();
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

void Game::look_back(const ArrivalPattern& actual, double run_s, std::uint32_t call, double now_s) {
  for (std::size_t r = 0; r < reports_.size(); ++r) {
    reports_[r].past_call = call;
    reports_[r].past_arrival_ns =
        static_cast<std::int64_t>((now_s - run_s + actual.offset_s[r]) * 1e9);
    reports_[r].past_exit_ns = static_cast<std::int64_t>(now_s * 1e9);
  }
}

/// What the other streams have learnt, as their common leader tells.
void Game::hear(const std::vector<Game*>& others) {
  if (!judge_->may_hear()) return;
  std::vector<Calibration::Learnt> all;
  for (const Game* other : others)
    if (other != this)
      for (const Calibration::Learnt& one : other->judge_->learnt()) all.push_back(one);
  judge_->tell(std::move(all));
}

/// What a process says when it comes to call `call` ends the lease two calls later: the leader
/// calls it back at the next one, and everybody does one more.
void Game::end_if_left(const std::vector<double>& computing, std::uint32_t call, double now_s) {
  constexpr std::uint32_t later = 3;
  bool left = false;
  for (std::size_t r = 0; r < computing.size(); ++r)
    left = left || told_[r].is_left_by(computing[r], decision_->tolerated_s);
  if (!left || decision_->live || !decision_->covers(call + later) ||
      !judge_->may_recall(static_cast<std::int64_t>(now_s * 1e9),
                          decision_->first + decision_->count - call))
    return;
  decision_->count = call + later - decision_->first;
  judge_->recall(call + later);
  leader_->start_over();
}

Decision Game::first() const {
  Decision decision;
  decision.choose(get_algorithm(cell_.operation, "mpi"));
  decision.count = 1;
  set_pattern(decision, ArrivalPattern::flat(kind_.ranks));
  return decision;
}

Decision Game::decide(std::uint32_t call, double now_s) {
  Decision decision = first();
  decision.first = call;
  const ArrivalPattern pattern = leader_->pattern(call);
  judge_->decide(pattern, {}, 0, static_cast<std::int64_t>(now_s * 1e9), decision);
  judge_->set_lease(*leader_, pattern, decision);
  return decision;
}

/// By how much a call takes longer as something else was going on.
double Game::disturbed(const Algorithm& algorithm) const {
  const auto taken = taken_.find(algorithm.name);
  const int before = taken == taken_.end() ? 0 : taken->second;
  return before < (is_library(algorithm) ? slow_mpi : slow_first) ? disturbance : 1.0;
}

/// By how much an algorithm takes longer than the model says.
double Game::hidden_factor(const std::string& algorithm) const {
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

double Game::noise_of(const std::string& algorithm, int call) const {
  std::mt19937_64 own(std::hash<std::string>()(algorithm) ^ (seed_ + 31 * call));
  return std::exp(noise * std::abs(std::normal_distribution<double>()(own)));
}

CostModel Game::truth_of(const std::string& algorithm, int call) const {
  return corrected(cell_.network.truth, hidden_factor(algorithm) * noise_of(algorithm, call));
}

double Game::run_time_s(const Decision& decision, const ArrivalPattern& actual, int call) const {
  const Algorithm& algorithm = decision.chosen();
  const CostModel truth = truth_of(algorithm.name, call);
  if (is_library(algorithm)) return mpi_run_time_s(mpi_, problem_of({}), actual, truth);
  const Problem problem = problem_of(decision);
  const ArrivalPattern read = algorithm.protocol != nullptr ? actual : decision.pattern();
  return simulate(build_schedule(algorithm, problem, read), actual, truth).run_time_s();
}

double Game::time_of_way(std::size_t index, const ArrivalPattern& forecast,
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

}  // namespace pat::simulated
