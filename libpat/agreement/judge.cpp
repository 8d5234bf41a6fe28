#include "libpat/agreement/judge.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/operation_row.hpp"
#include "core/seconds.hpp"
#include "core/units.hpp"
#include "libpat/agreement/choice.hpp"
#include "libpat/agreement/pace.hpp"

namespace pat::detail {
namespace {

/// Most pieces that a block is cut into for the sake of PAT_Pready.
constexpr int most_pieces = 100;

/// What choosing and learning may each cost of the leader's time; and what each may cost from the
/// start; where a choice takes less than a call, choosing as much as finds its way among several:
/// until then a stream stays with what a wrong price has chosen.
constexpr double thinking_share = 0.01, learning_share = 0.005;
constexpr double first_thoughts_s = 0.02;
constexpr double first_choices = 6.0, most_first_thoughts_s = 0.3;
/// How far clocks of two processes may lie apart: what is measured of a call is as uncertain.
constexpr double clock_error_s = 10e-6;
/// A recall tells each process three times and hears of it twice.
constexpr double messages_of_a_recall = 5.0;
/// Of a call, what agreeing may take before the call that it is done for tells little of its way.
constexpr double disturbing_share = 0.05;
/// What a call takes may change by this share before another way may be better.
constexpr double tolerated_share = 0.05;

/// A selection holds while arrivals stay, no half width moves by more than a third, and prices by
/// less than this; and for so many decisions.
constexpr double tolerated_price = 0.03;
constexpr int most_reuse = 16;
constexpr std::size_t most_remembered = 8;

bool are_near(const std::vector<double>& a, const std::vector<double>& b, double allowed_s) {
  for (std::size_t r = 0; r < a.size(); ++r) {
    if (std::isfinite(a[r]) != std::isfinite(b[r])) return false;
    if (std::isfinite(a[r]) &&
        std::abs(a[r] - b[r]) > std::max(allowed_s, std::max(a[r], b[r]) / 3.0))
      return false;
  }
  return true;
}

/// How far one arrival may move before the choice may be another one.
double tolerated_s(const Selection& choice, const ArrivalPattern& pattern) {
  if (choice.expected_s <= 0.0 && !choice.algorithm->uses_pattern) return 0.0;
  return std::max(tolerated_move_s(pattern, pattern), tolerated_share * choice.expected_s);
}

/// The way goes by the arrivals that were decided for, so that each call wants a decision.
bool follows_arrivals(const Algorithm& algorithm) {
  return algorithm.uses_pattern && algorithm.protocol == nullptr;
}

/// What was chosen before may be a trial now.
bool allows_more(const Exploration& now, const Exploration& before) {
  return (now.may_lose_s > 0.0 && before.may_lose_s <= 0.0) ||
         (now.mpi_may_lose_s > 0.0 && before.mpi_may_lose_s <= 0.0);
}

/// A mean of the latest values; 0 before the first.
void follow(double& mean, double value) {
  mean = mean == 0.0 ? value : 0.75 * mean + 0.25 * value;
}

bool is_near(const ArrivalPattern& a, const ArrivalPattern& b) {
  return a.offset_s.size() == b.offset_s.size() && a.half_width_s.size() == b.half_width_s.size() &&
         arrivals_stay(a, b) && are_near(a.half_width_s, b.half_width_s, tolerated_move_s(a, b));
}

}  // namespace

Problem problem_of(const StreamKind& kind, const Decision& decision,
                   const std::vector<std::size_t>& counts) {
  const CallSignature& signature = kind.signature;
  Problem problem;
  problem.operation = signature.operation;
  problem.ranks = kind.ranks;
  problem.root = signature.root;
  problem.units = signature.block_bytes / signature.unit_bytes;
  problem.unit_bytes = signature.unit_bytes;
  problem.commutative = signature.commutative;
  problem.fixed_order = signature.fixed_order;
  problem.counts = counts;
  problem.segments = static_cast<int>(decision.segments);
  problem.variant = decision.variant;
  problem.window = static_cast<int>(decision.window);
  problem.cost = decision.cost;
  problem.link_slowdown = kind.links;
  if (kind.early) problem.pause_s = static_cast<double>(pace::moving_pause_ns) * 1e-9;
  return problem;
}

// ---------------------------------------------------------------- deciding

void Judge::decide(const ArrivalPattern& pattern, const std::vector<std::size_t>& counts, int parts,
                   std::int64_t now_ns, Decision& decision) {
  if (first_ns_ == 0) first_ns_ = now_ns;
  if (previous_ns_ != 0 && decision.first > previous_call_) {
    const double interval_s = seconds(now_ns - previous_ns_) / (decision.first - previous_call_);
    follow(interval_s_, interval_s);
  }
  previous_ns_ = now_ns;
  previous_call_ = decision.first;
  ++decisions_;

  const std::vector<RoundLength>& rounds = measured_rounds(config_, calibration_);
  const CallSignature& signature = kind_.signature;
  const auto problem = [&] {
    Problem decided = problem_of(kind_, decision, counts);
    decided.rounds = rounds;
    return decided;
  };
  decision.cost = link_cost(config_, calibration_, problem());
  const Selection choice = select_for(pattern, problem(), now_ns);
  const Algorithm& algorithm = *choice.algorithm;
  decision.choose(signature.varying ? for_varying_counts(algorithm) : algorithm);
  decision.segments = static_cast<std::uint32_t>(choice.segments);
  if (algorithm.tune != nullptr && config_.segments > 0)
    decision.segments = static_cast<std::uint32_t>(config_.segments);
  if (row(signature.operation).parts_travel)
    decision.segments =
        std::max(decision.segments, static_cast<std::uint32_t>(std::min(parts, most_pieces)));
  decision.cost = slower(decision.cost, choice.correction);
  if (choice.window > 0) decision.window = static_cast<std::uint32_t>(choice.window);
  decision.live = algorithm.root_ordered;
  decision.reason = choice.reason;
  decision.tolerated_s = tolerated_s(choice, pattern);
  decision.worth_s = worth_s();
  set_pattern(decision, pattern, choice.tick_s);
  if (algorithm.tune == nullptr || decision.live) return;
  const Tuning tuning = algorithm.tune(problem(), decision.pattern());
  decision.segments = static_cast<std::uint32_t>(tuning.segments);
  decision.variant = tuning.variant;
  if (rounds.empty()) return;
  // What the others need to know of them.
  const double bytes = static_cast<double>(signature.block_bytes) / std::max(1, tuning.segments);
  decision.cost = with_round(decision.cost, bytes, length_of_round_s(rounds, bytes));
}

Selection Judge::select_for(const ArrivalPattern& pattern, const Problem& problem,
                            std::int64_t now_ns) {
  const bool early = kind_.early && !kind_.signature.varying;
  if (kind_.forced != nullptr)
    return choose(problem, pattern, config_, calibration_, kind_.forced, early, prices_);
  compare_if_due(now_ns);
  if (goes_by_period()) return *last_;
  if (settled_ && !may_think(now_ns)) return *(last_ = settled_);
  take_in_others(problem);
  const Exploration exploration = what_may_be_tried(problem, now_ns);
  if (last_ && !last_->trial && still_holds(pattern) && !allows_more(exploration, explored_)) {
    ++used_again_;
    return *last_;
  }
  SelectionRules rules;
  if (kind_.signature.form == Form::plain) rules.computing_s = computing_s_;
  rules.overhead_s = own_overhead_s * kind_.crowd;  // they wait for each other's, also after a call
  if (settled_) rules.held = settled_->algorithm;
  if (settled_) rules.held_window = settled_->window == problem.window ? 0 : settled_->window;
  rules.exploration = explored_ = exploration;
  const std::int64_t began_ns = clock_();
  last_ = choose(problem, pattern, config_, calibration_, nullptr, early, prices_, rules);
  choice_s_ = seconds(clock_() - began_ns);
  thought_s_ += choice_s_;
  last_pattern_ = pattern;
  used_again_ = 0;
  moved_ = 0.0;
  const bool by_library = is_library(*last_->algorithm);
  if (by_library) trials_.note_library(previous_call_, last_->trial);
  if (last_->trial)
    trials_.begin(by_library ? Trials::Kind::library : Trials::Kind::way, previous_call_,
                  least_calls(), *last_);
  else
    settled_ = last_;
  return *last_;
}

/// What PAT's ways gain in calls may be lost between them, or more gained: see Periods.
void Judge::compare_if_due(std::int64_t now_ns) {
  if (!config_.explore || !settled_ || last_->trial || !periods_.is_due(previous_call_)) return;
  const double each_s = periods_.library_is_better()
                            ? periods_.pat_s() - periods_.library_s()
                            : std::max(0.0, settled_->mpi_s - settled_->expected_s);
  const double loses_s = Periods::calls_of_a_comparison * each_s;
  if (!trials_.may_compare(loses_s, progress(now_ns))) return;
  periods_.compare(previous_call_);
  trials_.compare(Periods::calls_of_a_comparison, loses_s);
  trials_.note_library(previous_call_, true);
}

/// The call is the library's as steps are shorter with it, or to see whether they are.
bool Judge::goes_by_period() {
  if (!periods_.wants_library(previous_call_)) return false;
  Selection choice;
  choice.algorithm = &get_algorithm(kind_.signature.operation, "mpi");
  choice.trial = periods_.compared_calls_left(previous_call_) > 0;
  choice.reason = choice.trial ? "mpi is tried: whether steps are shorter with it"
                               : "mpi: a step takes " + format_seconds(periods_.library_s()) +
                                     ", by PAT's ways " + format_seconds(periods_.pat_s());
  last_ = choice;
  used_again_ = most_reuse;  // what comes after it is chosen anew
  return true;
}

bool Judge::may_hear() const {
  if (kind_.forced != nullptr || kind_.signature.varying || kind_.signature.fixed_order)
    return false;
  return !prices_ || prices_->mpi.samples == 0 ||
         std::ranges::any_of(prices_->candidates, [&](const Candidate& one) {
           return one.samples == 0 && !heard_.contains(one.way);
         });
}

void Judge::take_in_others(const Problem& problem) {
  if (others_.empty() || !may_hear()) return;
  const bool early = kind_.early && !kind_.signature.varying;
  moved_ += hear(prices_of(problem, calibration_, early, prices_), problem, others_, heard_);
  others_.clear();
}

/// Between two trials comes what they are held against, or its price stays what it was long ago;
/// and while steps are compared nothing else is tried.
Exploration Judge::what_may_be_tried(const Problem& problem, std::int64_t now_ns) const {
  const bool has_just_tried = last_ && last_->trial;
  if (!config_.explore || has_just_tried || kind_.signature.varying || problem.ranks < 2 ||
      periods_.compared_calls_left(previous_call_) > 0)
    return {};
  return trials_.allowed(previous_call_, progress(now_ns));
}

Trials::Progress Judge::progress(std::int64_t now_ns) const {
  return {elapsed_s(now_ns), interval_s_, call_s_, deciding_s()};
}

bool Judge::still_holds(const ArrivalPattern& pattern) const {
  return used_again_ < most_reuse && moved_ < tolerated_price && is_near(pattern, last_pattern_);
}

double Judge::elapsed_s(std::int64_t now_ns) const {
  return seconds(now_ns - first_ns_);
}

bool Judge::may_think(std::int64_t now_ns) const {
  double first_s = first_thoughts_s;
  if (choice_s_ < call_s_)
    first_s = std::clamp(first_choices * choice_s_, first_thoughts_s, most_first_thoughts_s);
  return thought_s_ < first_s + thinking_share * elapsed_s(now_ns);
}

bool Judge::may_learn(std::int64_t now_ns) const {
  return learnt_s_ < first_thoughts_s + learning_share * elapsed_s(now_ns);
}

/// Until all know of a decision: the leader tells one after the other, those pass it on while
/// others hear of it, and processes that share a core hear one after the other.
double Judge::agreeing_s() const {
  return telling_s * (kind_.told > 0 ? kind_.told : kind_.ranks) + hearing_s * kind_.crowd;
}

/// By how much a decision holds calls up.
double Judge::deciding_s() const {
  return agreeing_s() + thought_s_ / static_cast<double>(std::max<std::uint64_t>(1, decisions_));
}

/// Agreeing before a call that takes so long makes it notably longer. The leader thinks beside
/// computing, mostly.
bool Judge::disturbs(double call_s) const {
  return agreeing_s() > disturbing_share * call_s;
}

/// A decision's first call is disturbed by it and its last one by the next; a process that goes by
/// arrivals wants another decision for each call all the same.
std::uint32_t Judge::least_calls() const {
  const std::uint32_t usual = tries() ? Trials::calls_of_a_trial : 1;
  if (!last_ || follows_arrivals(*last_->algorithm) || !disturbs(last_->beyond_s)) return usual;
  const auto most = static_cast<std::uint32_t>(config_.lease_max);
  const std::uint32_t least = last_->negligible ? negligible_calls : calls_with_a_quiet_one;
  return std::max(usual, std::min(least, most));
}

/// What may be spent on a call of the choice made last, which does not go by arrivals; 0: it does,
/// or was not simulated.
double Judge::worth_s() const {
  if (!last_ || last_->algorithm->uses_pattern || last_->algorithm->root_ordered) return 0.0;
  return saving_share * last_->beyond_s;
}

std::uint32_t Judge::longest_lease() const {
  const auto most = static_cast<std::uint32_t>(config_.lease_max);
  if (kind_.forced != nullptr || interval_s_ <= 0.0) return most;
  // Beside computing it costs nobody; where processes share a core, it costs the others' calls.
  const bool beside = kind_.crowd <= 1.0 || call_s_ <= 0.0;
  const double per_call_s = beside ? interval_s_ : std::min(call_s_, interval_s_);
  double may_cost_s = deciding_share * per_call_s;
  if (const double worth = worth_s(); worth > 0.0) may_cost_s = std::min(may_cost_s, worth);
  const double calls = std::ceil(deciding_s() / may_cost_s);
  return calls < most ? std::max(1u, static_cast<std::uint32_t>(calls)) : most;
}

bool Judge::may_recall(std::int64_t now_ns, std::uint32_t calls_left) {
  const double cost_s = messages_of_a_recall * telling_s * kind_.ranks;
  if (tries() || recalled_s_ > deciding_share * elapsed_s(now_ns)) return false;
  // Leases begin short again: the decisions until one is as long.
  const double decisions_s = deciding_s() * std::log2(1.0 + calls_left);
  if (const double worth = worth_s(); worth > 0.0 && cost_s + decisions_s > worth * calls_left)
    return false;
  recalled_s_ += cost_s;
  return true;
}

void Judge::recall(std::uint32_t call) {
  if (made_.empty()) return;
  Decision& last = made_.back();
  if (last.covers(call)) last.count = call - last.first;
}

const Decision* Judge::made_for(std::uint32_t call) const {
  const auto decision = std::find_if(made_.begin(), made_.end(),
                                     [&](const Decision& one) { return one.covers(call); });
  return decision == made_.end() ? nullptr : &*decision;
}

// ---------------------------------------------------------------- learning

void Judge::set_lease(Leader& leader, const ArrivalPattern& pattern, Decision& decision) {
  const bool follows = follows_arrivals(decision.chosen());
  const bool known = std::all_of(pattern.half_width_s.begin(), pattern.half_width_s.end(),
                                 [](double half_width) { return std::isfinite(half_width); });
  decision.count = tries() ? 0 : leader.lease(decision, follows, known, longest_lease());
  decision.count = std::max(decision.count, least_calls());
  periods_.go(decision.first, is_library(decision.chosen()));
  if (const std::uint32_t left = periods_.compared_calls_left(decision.first); left > 0)
    decision.count = tries() ? left : std::min(decision.count, left);
  made_.push_back(decision);
  if (made_.size() > most_remembered) made_.pop_front();
}

void Judge::learn(const MeasuredCall& call, const std::vector<std::size_t>& counts) {
  // Where data must be combined in one order nothing may depend on what is measured in passing.
  if (kind_.signature.varying || kind_.signature.fixed_order) return;
  if (call.over_s > 0.0) periods_.over(call.call, call.over_s);
  if (call.call == 0 && kind_.forced == nullptr) return learn_first(call, counts);
  if (!prices_) return;
  const Decision* decision = made_for(call.call);
  if (decision == nullptr || !may_learn(previous_ns_)) return;
  trials_.settle(decision->first, call.run_time_s);
  follow(call_s_, call.run_time_s);
  const bool fresh = seen_.insert(decision->algorithm).second;
  // A way's first call opened connections, and where a later one is quiet this one was not.
  const bool has_a_quiet_one = decision->count >= calls_with_a_quiet_one;
  if (decision->first == call.call && (fresh || has_a_quiet_one)) return;
  const std::int64_t began_ns = clock_();
  learn_way(problem_of(kind_, *decision, counts), *decision, call);
  learnt_s_ += seconds(clock_() - began_ns);
}

/// The first call is the library's, before anything is decided: a way of PAT's that disappoints
/// then does not make the library look as bad as itself.
void Judge::learn_first(const MeasuredCall& call, const std::vector<std::size_t>& counts) {
  Decision made;
  made.choose(get_algorithm(kind_.signature.operation, "mpi"));
  made.window = static_cast<std::uint32_t>(config_.window);
  Problem problem = problem_of(kind_, made, counts);
  problem.rounds = measured_rounds(config_, calibration_);
  problem.cost = link_cost(config_, calibration_, problem);
  const std::int64_t began_ns = clock_();
  prices_of(problem, calibration_, kind_.early, prices_);
  thought_s_ += seconds(clock_() - began_ns);
  seen_.insert(made.algorithm);
  learn_way(problem, made, call);
}

std::vector<Calibration::Learnt> Judge::learnt() const {
  std::vector<Calibration::Learnt> list;
  const CallSignature& made = kind_.signature;
  if (kind_.forced != nullptr || made.varying || !prices_ || prices_->mpi.samples == 0) return list;
  const auto add = [&](const std::string& algorithm, int window, std::size_t way, int samples) {
    const std::size_t bytes = made.block_bytes - made.block_bytes % made.unit_bytes;
    list.push_back({made.operation, algorithm, kind_.ranks, bytes, window,
                    prices_->beliefs.correction(way), prices_->beliefs.sd(way), samples});
  };
  if (prices_->shared.any())
    add(Calibration::Learnt::shared, 0, prices_->beliefs.shared_way(), prices_->mpi.samples);
  add("mpi", 0, MpiPrice::way, prices_->mpi.samples);
  if (prices_->mpi.stand_in != nullptr) list.back().stand_in = prices_->mpi.stand_in->name;
  for (const Candidate& one : prices_->candidates)
    if (one.reading == Reading::exact) add(one.algorithm->name, one.window, one.way, one.samples);
  return list;
}

void Judge::learn_way(const Problem& problem, const Decision& decision, const MeasuredCall& call) {
  const Algorithm& algorithm = decision.chosen();
  const auto observed = [&](double run_time_s, const Planned& plan) {
    const double simulated_s = plan.run_time_s(call.arrivals);
    return Observed{run_time_s, simulated_s, absolute_imbalance_s(call.arrivals), clock_error_s,
                    plan.shared_share(call.arrivals, simulated_s)};
  };
  if (is_library(algorithm)) {
    if (prices_->mpi.stand_in == nullptr) return;
    const Observed seen =
        observed(call.run_time_s, mpi_plan(prices_->mpi, problem, call.arrivals, prices_->model));
    // A stream's first call opened connections: it may be slow for being the first, but not fast.
    if (call.call == 0 && call.run_time_s >= seen.simulated_s) return;
    return correct(MpiPrice::way, seen);
  }
  const int window = problem.window == config_.window ? 0 : problem.window;
  const auto candidate =
      std::find_if(prices_->candidates.begin(), prices_->candidates.end(), [&](const auto& one) {
        return one.algorithm == &algorithm && one.window == window &&
               (one.reading == Reading::blind) == decision.blind;
      });
  if (candidate == prices_->candidates.end()) return;
  const bool follows = decision.live || algorithm.protocol != nullptr;
  const Planned plan(algorithm, problem, call.arrivals,
                     follows ? call.arrivals : decision.pattern(),
                     corrected(prices_->model, candidate->correction));
  correct(candidate->way, observed(call.run_time_s - own_overhead_s, plan));
}

void Judge::correct(std::size_t way, const Observed& call) {
  const double before = std::log(prices_->beliefs.correction(way));
  pat::learn(*prices_, way, call);
  moved_ += std::abs(std::log(prices_->beliefs.correction(way)) - before);
}

}  // namespace pat::detail
