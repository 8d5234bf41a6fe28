#include "collectives/cost/select.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>

#include "collectives/cost/bound.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/patterns/pieces.hpp"
#include "core/errors.hpp"
#include "core/units.hpp"

namespace pat {
namespace {

std::string share_text(double share) {
  char line[64];
  std::snprintf(line, sizeof line, "%.0f %%", std::round(100.0 * share) + 0.0);  // no "-0 %"
  return line;
}

/// Uniform in [-1, 1), a function of its arguments alone (the finaliser of SplitMix64).
double draw(std::uint64_t trial, std::uint64_t rank) {
  std::uint64_t x = (trial + 1) * 0x9e3779b97f4a7c15u + rank * 0xd1b54a32d192ed03u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1.0p-52 - 1.0;
}

std::string label(const Candidate& candidate) {
  std::string line = candidate.algorithm->name;
  if (candidate.segments > 0) line += " in " + std::to_string(candidate.segments) + " segments";
  if (candidate.window > 0) line += " with window " + std::to_string(candidate.window);
  if (candidate.reading == Reading::coarse) line += " by coarser arrivals";
  if (candidate.reading == Reading::blind) line += " without the forecast";
  return line;
}

/// A candidate with its plan for the forecast.
struct Contender {
  Candidate candidate;
  Planned plan;
  double expected_s;
  bool by_rule = true;  ///< it reads the forecast as reading_for() does
};

bool reads_by_rule(const Contender& one) {
  if (one.candidate.algorithm->round_s == nullptr) return true;
  return one.candidate.reading == one.plan.reading_by_rule();
}

/// Unknown arrivals may lie anywhere within `within_s`.
ArrivalPattern with_guesses(ArrivalPattern pattern, double within_s) {
  for (double& half_width_s : pattern.half_width_s)
    if (!std::isfinite(half_width_s)) half_width_s = within_s;
  return pattern;
}

/// What a normal variable is expected to lie below `limit`, of those times when it does.
double expected_below(double limit, double mean, double sd) {
  if (sd <= 0.0) return std::max(0.0, limit - mean);
  const double z = (limit - mean) / sd;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * M_PI);
  return (limit - mean) * 0.5 * std::erfc(-z / std::sqrt(2.0)) + sd * density;
}

class Selector {
 public:
  Selector(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
           const MpiPrice& mpi, const SelectionRules& rules)
      : problem_(problem),
        pattern_(with_guesses(pattern, std::max(mpi.flat_s, absolute_imbalance_s(pattern)))),
        spread_s_(absolute_imbalance_s(pattern_)),
        model_(model),
        mpi_(mpi),
        rules_(rules) {
    problem_.only_rank = -1;
    result_.algorithm = &get_algorithm(problem.operation, "mpi");
    result_.window = problem.window;
  }

  Selection run(const std::vector<Candidate>& candidates) {
    const std::string reason = reason_to_leave_to_mpi(candidates);
    if (!reason.empty()) return give_up(reason);
    contenders_ = simulate_all(candidates);
    if (!pattern_.half_width_s.empty()) {
      keep_finalists();
      draw_patterns();
    }
    const Contender* best = find_best();
    if (const auto trial = worth_a_trial(best)) return try_out(*trial, best);
    return best != nullptr ? take(*best) : give_up(not_enough());
  }

 private:
  bool gains(double time_s) const { return time_s <= (1.0 - rules_.gain) * result_.mpi_s; }

  double after_last_arrival_s(double time_s) const { return std::max(0.0, time_s - spread_s_); }

  std::string against_mpi(double time_s) const {
    return format_seconds(time_s) + " against " + format_seconds(result_.mpi_s) + " of mpi; gain " +
           share_text(1.0 - time_s / result_.mpi_s);
  }

  Selection give_up(const std::string& why) {
    result_.reason = "mpi: " + why;
    expect(result_.mpi_s);
    return std::move(result_);
  }

  /// What is known without simulating a candidate; sets the price of mpi on the way. Empty:
  /// nothing.
  std::string reason_to_leave_to_mpi(const std::vector<Candidate>& candidates) {
    if (candidates.empty()) return "there is no candidate";
    if (mpi_.stand_in == nullptr) return "there is no algorithm to price it by";
    mpi_plan_ = mpi_plan(mpi_, problem_, pattern_, model_, rules_.most_exact);
    result_.mpi_s = mpi_plan_->run_time_s(pattern_);
    if (result_.mpi_s <= 0.0) return "it takes no time";
    const double beyond_s = after_last_arrival_s(result_.mpi_s);
    result_.negligible = beyond_s < rules_.worthy * rules_.computing_s;
    if (result_.negligible)
      return "it takes " + format_seconds(beyond_s) + " after the last arrival, less than " +
             share_text(rules_.worthy) + " of the " + format_seconds(rules_.computing_s) +
             " of computing before it";
    if (row(problem_.operation).bound == nullptr) return "";
    double best_correction = 1.0;
    for (const Candidate& candidate : candidates)
      best_correction =
          std::min(best_correction, candidate.correction * std::exp(-2.0 * candidate.log_sd));
    const double bound_s = lower_bound_s(problem_, pattern_, corrected(model_, best_correction));
    if (gains(bound_s) || !pattern_.half_width_s.empty()) return "";
    return "nothing can take less than " + format_seconds(std::min(bound_s, result_.mpi_s)) +
           ", and mpi takes " + format_seconds(result_.mpi_s) + "; a gain of " +
           share_text(rules_.gain) + " is required";
  }

  /// Whether this reading can be another one than the exact.
  bool can_differ(Reading reading) const {
    if (reading == Reading::coarse) return tick_s(reading, pattern_) > 0.0;
    return reading == Reading::exact ||
           std::any_of(pattern_.half_width_s.begin(), pattern_.half_width_s.end(),
                       [](double half_width_s) { return half_width_s > 0.0; });
  }

  /// Simulations take long: of very many processes, or of pieces.
  bool is_dear() const {
    constexpr int most_pieces = 256;
    return problem_.ranks > rules_.most_exact ||
           problem_.ranks * unasked_pieces(problem_, problem_.block_bytes()) > most_pieces;
  }

  /// Of very many processes a forecast is read as it is and by the rule, in no third way. A
  /// candidate follows the one of its algorithm that reads the forecast exactly.
  bool is_third_reading(const Candidate& candidate, const std::vector<Contender>& before) const {
    return is_dear() && candidate.reading != Reading::exact && !before.empty() &&
           before.back().candidate.algorithm == candidate.algorithm &&
           before.back().plan.reading_by_rule() != candidate.reading;
  }

  Problem problem_for(const Candidate& candidate) const {
    Problem problem = problem_;
    problem.segments = candidate.segments;
    if (candidate.window > 0) problem.window = candidate.window;
    return problem;
  }

  /// By its formula: whatever the arrivals, equal ones take no longer.
  double at_least_s(const Candidate& candidate) const {
    if (!is_dear()) return 0.0;
    return formula_s(*candidate.algorithm, problem_for(candidate), model_) * candidate.correction *
           std::exp(-candidate.log_sd) / formula_error;
  }

  /// Some candidate takes no longer than this: who waits for the last process and then does as with
  /// equal arrivals.
  double limit_s(const std::vector<Candidate>& candidates) const {
    double least_s = std::numeric_limits<double>::infinity();
    if (!is_dear()) return least_s;
    for (const Candidate& candidate : candidates)
      least_s = std::min(least_s, formula_s(*candidate.algorithm, problem_for(candidate), model_) *
                                      candidate.correction);
    return longest_wait_s() + formula_error * least_s;
  }

  /// Of a forecast that may be wrong: until the last process can have come.
  double longest_wait_s() const {
    double longest_s = absolute_imbalance_s(pattern_);
    for (std::size_t r = 0; r < pattern_.half_width_s.size(); ++r)
      longest_s = std::max(longest_s, pattern_.offset_s[r] + pattern_.half_width_s[r]);
    return longest_s;
  }

  /// All candidates on the forecast, fastest first. Above rules_.most_exact processes without those
  /// that their formulas exclude.
  std::vector<Contender> simulate_all(const std::vector<Candidate>& candidates) const {
    std::vector<Contender> contenders;
    const double needed_s = limit_s(candidates);
    for (const Candidate& candidate : candidates) {
      if (!can_differ(candidate.reading) || at_least_s(candidate) > needed_s ||
          is_third_reading(candidate, contenders))
        continue;
      Problem problem = problem_for(candidate);
      problem.cost = slower(problem.cost, candidate.correction);
      const ArrivalPattern read = in_ticks(pattern_, tick_s(candidate.reading, pattern_));
      Contender contender{candidate,
                          {*candidate.algorithm, problem, pattern_, read,
                           corrected(model_, candidate.correction), rules_.most_exact},
                          0.0};
      contender.expected_s = contender.plan.run_time_s(pattern_) + rules_.overhead_s;
      contender.by_rule = reads_by_rule(contender);
      contenders.push_back(std::move(contender));
    }
    std::stable_sort(contenders.begin(), contenders.end(), [&](const auto& a, const auto& b) {
      return handicapped_s(a) < handicapped_s(b);
    });
    return contenders;
  }

  void keep_finalists() {
    int kept = 0;
    const double most_s = most_of_a_finalist_s();
    std::vector<Contender> others;
    std::erase_if(contenders_, [&](Contender& one) {
      if (one.expected_s > most_s) return true;
      // Another reading of the forecast may look worse by it and yet hold better.
      if (one.candidate.reading != Reading::exact || ++kept <= rules_.finalists) return false;
      others.push_back(std::move(one));
      return true;
    });
    add_hopefuls(std::move(others));
  }

  /// Of the others those that a trial might show to be best: where many ways cost alike by the
  /// model, the first finalists may all be ways of one kind.
  void add_hopefuls(std::vector<Contender> others) {
    if (rules_.exploration.may_lose_s <= 0.0) return;
    const auto hope_s = [&](const Contender& one) { return one.expected_s - step_s(one); };
    std::ranges::stable_sort(others, {}, hope_s);
    for (int i = 0; i < rules_.hopefuls && !others.empty(); ++i) {
      contenders_.push_back(std::move(others.front()));
      others.erase(others.begin());
    }
  }

  /// Of very many processes some come early and some late in every drawn pattern, so that the times
  /// do not differ much from those for the forecast.
  double most_of_a_finalist_s() const {
    if (!is_dear()) return std::numeric_limits<double>::infinity();
    const double widest_s =
        *std::max_element(pattern_.half_width_s.begin(), pattern_.half_width_s.end());
    return most_beyond * contenders_.front().expected_s + widest_s;
  }

  void draw_patterns() {
    for (Contender& contender : contenders_) contender.expected_s = rules_.overhead_s;
    result_.mpi_s = 0.0;
    spread_s_ = 0.0;
    const int draws = is_dear() ? std::min(rules_.draws, few_draws) : rules_.draws;
    for (int draw = 0; draw < draws; ++draw) {
      const ArrivalPattern actual = perturbed(pattern_, draw);
      spread_s_ += absolute_imbalance_s(actual) / draws;
      result_.mpi_s += mpi_plan_->run_time_s(actual) / draws;
      for (Contender& contender : contenders_)
        contender.expected_s += contender.plan.run_time_s(actual) / draws;
    }
  }

  /// The standard deviation of an expected time, seconds: what lies beyond the last arrival goes
  /// with the correction.
  double sd_s(const Contender& one) const {
    return std::max(0.0, one.expected_s - spread_s_) * one.candidate.log_sd;
  }
  /// The same of what a trial will move it by.
  double step_s(const Contender& one) const {
    return std::max(0.0, one.expected_s - spread_s_) * one.candidate.log_step;
  }

  /// What contenders are ranked by.
  double handicapped_s(const Contender& one) const {
    return one.expected_s * (one.candidate.algorithm->root_ordered ? 1.0 : 1.0 + rules_.tie) *
           (one.by_rule ? 1.0 : 1.0 + rules_.reading);
  }

  bool is_measured(const Contender& one) const {
    return std::min(one.candidate.samples, mpi_.samples) >= rules_.samples;
  }

  /// What is not known of a price counts against leaving the library: half as much once it is
  /// measured.
  double doubt_s(const Contender& one) const { return (is_measured(one) ? 0.5 : 1.0) * sd_s(one); }

  bool is_known_to_gain(const Contender& one) const { return gains(one.expected_s + doubt_s(one)); }

  const Contender* find_best() const {
    const Contender* best = nullptr;
    for (const Contender& one : contenders_)
      if (is_known_to_gain(one) && (best == nullptr || handicapped_s(one) < handicapped_s(*best)))
        best = &one;
    for (const Contender& one : contenders_)
      if (is_held(one) && is_known_to_gain(one) &&
          one.expected_s <= (1.0 + rules_.staying) * best->expected_s)
        return &one;
    return best;
  }

  bool is_held(const Contender& one) const {
    return one.candidate.algorithm == rules_.held && one.candidate.window == rules_.held_window &&
           one.by_rule;
  }

  /// What is tried, and what that is expected to lose, seconds.
  struct Trial {
    const Contender* way;  ///< null: mpi
    double promises_s, loses_s;
  };

  /// Of a way that is expected to take `expected_s`, give or take `sd_s`, of which a trial shows
  /// `step_s`, in place of one that takes `known_s`.
  Trial trial_of(const Contender* way, double expected_s, double sd_s, double step_s,
                 double known_s) const {
    return {way, expected_below(known_s, expected_s, step_s),
            rules_.exploration.deciding_s + expected_s - known_s +
                expected_below(known_s, expected_s, sd_s)};
  }

  bool pays(const Trial& trial) const {
    return trial.loses_s <= rules_.exploration.may_lose_s &&
           trial.promises_s * rules_.exploration.calls >= trial.loses_s;
  }

  /// Another reading of the forecast with the same price: calls of it tell nothing that calls of
  /// `best` do not.
  static bool has_price_of(const Contender* best, const Contender& one) {
    return best != nullptr && best->candidate.way == one.candidate.way;
  }

  /// Of those that are not known to be better, the one that promises most. What it is held against
  /// must have been measured.
  std::optional<Trial> worth_a_trial(const Contender* best) {
    const double known_s = best != nullptr ? best->expected_s : result_.mpi_s;
    const bool allowed =
        std::max(rules_.exploration.may_lose_s, rules_.exploration.mpi_may_lose_s) > 0.0;
    const int known_by = best != nullptr ? best->candidate.samples : mpi_.samples;
    if (!allowed || known_by == 0) return std::nullopt;
    std::optional<Trial> found;
    const auto consider = [&](const Trial& trial) {
      if (trial.promises_s > (found ? found->promises_s : worth_trying * known_s) && pays(trial))
        found = trial;
    };
    for (const Contender& one : contenders_)
      if (!has_price_of(best, one) && sd_s(one) > 0.0)
        consider(trial_of(&one, one.expected_s, sd_s(one), step_s(one), known_s));
    // The library may have been slow in its first calls.
    if (best != nullptr && best->candidate.log_sd > 0.0) {
      const double own_s = std::max(0.0, result_.mpi_s - spread_s_);
      const Trial trial = trial_of(nullptr, result_.mpi_s, own_s * best->candidate.log_sd,
                                   own_s * best->candidate.mpi_log_step, known_s);
      consider(trial);
      if (trial.loses_s < rules_.exploration.mpi_may_lose_s) found = trial;
    }
    if (found) {
      result_.may_lose_s = found->loses_s;
      result_.instead_s = known_s;
    }
    return found;
  }

  std::string unmeasured(const Candidate& best) const {
    if (best.samples > 0 && mpi_.samples > 0) return "calls differ too much for so few";
    return std::string(best.samples > 0 ? "mpi" : "it") + " was not measured";
  }

  /// Why the library is left for nothing.
  std::string not_enough() {
    const auto best =
        std::min_element(contenders_.begin(), contenders_.end(),
                         [](const auto& a, const auto& b) { return a.expected_s < b.expected_s; });
    name_runner_up(&*best);
    const bool measured = is_measured(*best) || sd_s(*best) <= 0.0;
    const double required = rules_.gain + doubt_s(*best) / result_.mpi_s;
    return label(best->candidate) + " is expected to take " + against_mpi(best->expected_s) + ", " +
           share_text(required) + " is required" +
           (measured ? "" : " as " + unmeasured(best->candidate));
  }

  void name_runner_up(const Contender* next) {
    if (next == nullptr) return;
    result_.runner_up = label(next->candidate);
    result_.runner_up_s = next->expected_s;
  }

  std::string next_best(const Contender& taken) {
    const Contender* next = nullptr;
    for (const Contender& one : contenders_)
      if (one.candidate.algorithm != taken.candidate.algorithm &&
          (next == nullptr || one.expected_s < next->expected_s))
        next = &one;
    if (next == nullptr) return "";
    name_runner_up(next);
    return ", next " + label(next->candidate) + " " + format_seconds(next->expected_s);
  }

  Selection take(const Contender& contender) {
    set(contender);
    result_.reason = label(contender.candidate) + ": " + against_mpi(contender.expected_s) +
                     next_best(contender) +
                     (pattern_.half_width_s.empty() ? ", the forecast is exact" : "");
    return std::move(result_);
  }

  Selection try_out(const Trial& trial, const Contender* best) {
    result_.trial = true;
    if (trial.way == nullptr) {
      expect(result_.mpi_s);
      name_runner_up(best);
      result_.reason = "mpi is tried: expected to take " + format_seconds(result_.mpi_s) +
                       " against " + format_seconds(best->expected_s) + " of " +
                       label(best->candidate);
      return std::move(result_);
    }
    const Contender& contender = *trial.way;
    set(contender);
    result_.reason = label(contender.candidate) + " is tried: expected to take " +
                     against_mpi(contender.expected_s) + next_best(contender);
    return std::move(result_);
  }

  void set(const Contender& contender) {
    result_.algorithm = contender.candidate.algorithm;
    result_.segments = contender.candidate.segments;
    result_.correction = contender.candidate.correction;
    if (contender.candidate.window > 0) result_.window = contender.candidate.window;
    result_.tick_s = tick_s(contender.candidate.reading, pattern_);
    expect(contender.expected_s);
  }

  void expect(double time_s) {
    result_.expected_s = time_s;
    result_.beyond_s = after_last_arrival_s(time_s);
  }

  /// Share of the best known time that a trial must promise.
  static constexpr double worth_trying = 0.003;
  /// Patterns drawn for very many processes: what is by chance is much the same in all of them.
  static constexpr int few_draws = 2;
  /// How far a finalist may be behind the first one by the forecast, among very many processes.
  static constexpr double most_beyond = 1.25;

  Problem problem_;
  const ArrivalPattern pattern_;
  double spread_s_;
  const CostModel& model_;
  const MpiPrice& mpi_;
  const SelectionRules& rules_;
  std::optional<Planned> mpi_plan_;
  std::vector<Contender> contenders_;
  Selection result_;
};

void validate(const ArrivalPattern& pattern, const Problem& problem, const SelectionRules& rules) {
  validate(problem);
  validate(pattern, problem.ranks);
  if (!pattern.half_width_s.empty() &&
      static_cast<int>(pattern.half_width_s.size()) != problem.ranks)
    throw Error(ErrorKind::argument, "the arrival pattern has " +
                                         std::to_string(pattern.half_width_s.size()) +
                                         " half widths, give none or one for each of the " +
                                         std::to_string(problem.ranks) + " ranks");
  for (const double half_width : pattern.half_width_s)
    if (half_width < 0.0)
      throw Error(ErrorKind::argument, "a half width of the arrival pattern is " +
                                           std::to_string(half_width) +
                                           ", give at least 0 seconds");
  if (!(rules.gain >= 0.0 && rules.gain <= 1.0))
    throw Error(ErrorKind::argument, "the required gain is " + std::to_string(rules.gain) +
                                         ", give a share from 0 to 1");
  if (rules.draws < 1 || rules.finalists < 1)
    throw Error(ErrorKind::argument, "give at least one draw and one finalist");
}

}  // namespace

LinkCost slower(const LinkCost& cost, double correction) {
  constexpr double most = 10.0;
  return cost.times(std::clamp(correction, 1.0, most));
}

ArrivalPattern perturbed(const ArrivalPattern& pattern, int trial) {
  ArrivalPattern moved = pattern;
  for (std::size_t r = 0; r < pattern.half_width_s.size(); ++r)
    moved.offset_s[r] += pattern.half_width_s[r] * draw(static_cast<std::uint64_t>(trial), r);
  if (moved.offset_s.empty()) return moved;
  const double first = *std::min_element(moved.offset_s.begin(), moved.offset_s.end());
  if (first < 0.0)
    for (double& offset : moved.offset_s) offset -= first;
  return moved;
}

Selection select(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
                 const MpiPrice& mpi, const std::vector<Candidate>& candidates,
                 const SelectionRules& rules) {
  validate(pattern, problem, rules);
  return Selector(problem, pattern, model, mpi, rules).run(candidates);
}

}  // namespace pat
