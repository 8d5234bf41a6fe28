#include "collectives/cost/select.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "collectives/cost/bound.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

std::string text(const char* format, double value) {
  char line[64];
  std::snprintf(line, sizeof line, format, value);
  return line;
}

/// "81.3 ms", "410 us", "2.03 s": three figures.
std::string time_text(double seconds) {
  if (seconds >= 0.9995) return text("%.3g s", seconds);
  if (seconds >= 0.9995e-3) return text("%.3g ms", 1e3 * seconds);
  return text("%.3g us", 1e6 * seconds);
}

std::string share_text(double share) {
  return text("%.0f %%", std::round(100.0 * share) + 0.0);  // no "-0 %"
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

/// A candidate with the schedule built from the forecast; a dynamic one makes it anew for the
/// arrivals as they come.
struct Contender {
  Candidate candidate;
  Schedule schedule;
  CostModel model;
  double forecast_s;
  double mean_s = 0.0;
  int held = 0;
  bool by_rule = true;  ///< it reads the forecast as reading_for() does

  double run_time_s(const ArrivalPattern& pattern) const {
    if (candidate.algorithm->protocol == nullptr)
      return simulate(schedule, pattern, model).run_time_s();
    const Schedule live = build_schedule(*candidate.algorithm, schedule.problem, pattern);
    return simulate(live, pattern, model).run_time_s();
  }
  /// What contenders are ranked by: a time, handicapped unless only the root follows the forecast.
  double rank_by(double time_s, double tie) const {
    return candidate.algorithm->root_ordered ? time_s : time_s * (1.0 + tie);
  }
};

bool reads_by_rule(const Candidate& candidate, const Problem& problem,
                   const ArrivalPattern& pattern) {
  if (candidate.algorithm->round_s == nullptr) return true;
  return candidate.reading == reading_for(pattern, candidate.algorithm->round_s(problem, pattern));
}

class Selector {
 public:
  Selector(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
           const MpiPrice& mpi, const SelectionRules& rules)
      : problem_(problem),
        pattern_(pattern),
        model_(model),
        mpi_(mpi),
        rules_(rules),
        mpi_schedule_(problem) {
    problem_.only_rank = -1;
    result_.algorithm = &get_algorithm(problem.operation, "mpi");
    result_.window = problem.window;
  }

  Selection run(const std::vector<Candidate>& candidates) {
    const std::string reason = reason_to_leave_to_mpi(candidates);
    if (!reason.empty()) return give_up(reason);
    std::vector<Contender> contenders = simulate_all(candidates);
    if (!gains(contenders.front().forecast_s, result_.mpi_s)) {
      const Contender& best = contenders.front();
      return give_up("the best candidate, " + label(best.candidate) + ", is expected to take " +
                     against_mpi(best.forecast_s) + ", " + share_text(rules_.gain) +
                     " is required");
    }
    if (pattern_.half_width_s.empty()) return take(contenders.front());
    std::erase_if(contenders,
                  [&](const Contender& c) { return !gains(c.forecast_s, result_.mpi_s); });
    keep_finalists(contenders);
    try_perturbed(contenders);
    return take_if_sure(contenders);
  }

 private:
  double mpi_time_s(const ArrivalPattern& pattern) const {
    return simulate(mpi_schedule_, pattern, corrected(model_, mpi_.correction)).run_time_s();
  }

  bool gains(double time_s, double mpi_s) const { return time_s <= (1.0 - rules_.gain) * mpi_s; }

  std::string against_mpi(double time_s) const {
    return time_text(time_s) + " against " + time_text(result_.mpi_s) + " of mpi; gain " +
           share_text(1.0 - time_s / result_.mpi_s);
  }

  Selection give_up(const std::string& why) {
    result_.reason = "mpi: " + why;
    return std::move(result_);
  }

  /// What is known without simulating a candidate; sets the price of mpi on the way. Empty:
  /// nothing.
  std::string reason_to_leave_to_mpi(const std::vector<Candidate>& candidates) {
    if (candidates.empty()) return "there is no candidate";
    if (problem_.ranks > rules_.most_ranks)
      return std::to_string(problem_.ranks) + " processes are more than are simulated (" +
             std::to_string(rules_.most_ranks) + ")";
    if (mpi_.stand_in == nullptr) return "there is no algorithm to price it by";
    for (std::size_t r = 0; r < pattern_.half_width_s.size(); ++r)
      if (!std::isfinite(pattern_.half_width_s[r]))
        return "the arrival of rank " + std::to_string(r) + " is not known";
    // Without imbalance an algorithm that follows arrivals is only another algorithm, and the
    // library has chosen among those: only measurements can tell that it chose badly.
    const double spread_s = absolute_imbalance_s(pattern_);
    if (spread_s <= rules_.gain * mpi_.flat_s && !is_measured_faster(candidates))
      return "the arrivals lie within " + time_text(spread_s) + ", too little to gain " +
             share_text(rules_.gain) + " of " + time_text(mpi_.flat_s);
    mpi_schedule_ = mpi_schedule(mpi_, problem_, pattern_);
    result_.mpi_s = mpi_time_s(pattern_);
    if (row(problem_.operation).bound == nullptr) return "";
    double best_correction = 1.0;
    for (const Candidate& candidate : candidates)
      best_correction = std::min(best_correction, candidate.correction);
    const double bound_s = lower_bound_s(problem_, pattern_, corrected(model_, best_correction));
    if (gains(bound_s, result_.mpi_s)) return "";
    return "nothing can take less than " + time_text(std::min(bound_s, result_.mpi_s)) +
           ", and mpi takes " + time_text(result_.mpi_s) + "; a gain of " +
           share_text(rules_.gain) + " is required";
  }

  bool is_measured_faster(const std::vector<Candidate>& candidates) const {
    return mpi_.measured && std::any_of(candidates.begin(), candidates.end(), [&](const auto& c) {
             return c.flat_s > 0.0 && gains(c.flat_s, mpi_.flat_s);
           });
  }

  /// Whether this reading can be another one than the exact.
  bool can_differ(Reading reading) const {
    if (reading == Reading::coarse) return tick_s(reading, pattern_) > 0.0;
    return reading == Reading::exact ||
           std::any_of(pattern_.half_width_s.begin(), pattern_.half_width_s.end(),
                       [](double half_width_s) { return half_width_s > 0.0; });
  }

  /// All candidates on the forecast, fastest first.
  std::vector<Contender> simulate_all(const std::vector<Candidate>& candidates) const {
    std::vector<Contender> contenders;
    for (const Candidate& candidate : candidates) {
      if (!can_differ(candidate.reading)) continue;
      Problem problem = problem_;
      problem.segments = candidate.segments;
      if (candidate.window > 0) problem.window = candidate.window;
      const ArrivalPattern read = in_ticks(pattern_, tick_s(candidate.reading, pattern_));
      Contender contender{candidate, build_schedule(*candidate.algorithm, problem, read),
                          corrected(model_, candidate.correction), 0.0};
      contender.forecast_s = contender.run_time_s(pattern_);
      contender.by_rule = reads_by_rule(candidate, problem, pattern_);
      contenders.push_back(std::move(contender));
    }
    std::stable_sort(contenders.begin(), contenders.end(), [&](const auto& a, const auto& b) {
      return a.rank_by(a.forecast_s, rules_.tie) < b.rank_by(b.forecast_s, rules_.tie);
    });
    return contenders;
  }

  void keep_finalists(std::vector<Contender>& contenders) const {
    int kept = 0;
    for (auto one = contenders.begin(); one != contenders.end();) {
      // Another reading of the forecast may look worse by it and yet hold better.
      const bool extra = one->candidate.reading != Reading::exact;
      one = extra || ++kept <= rules_.finalists ? one + 1 : contenders.erase(one);
    }
  }

  /// Ends early when nothing can be sure any more.
  void try_perturbed(std::vector<Contender>& contenders) {
    bool any_sure = true;
    for (int trial = 0; trial < rules_.trials && any_sure; ++trial) {
      const ArrivalPattern actual = perturbed(pattern_, trial);
      const double mpi_s = mpi_time_s(actual);
      any_sure = false;
      ++result_.trials;
      for (Contender& contender : contenders) {
        if (contender.held < trial) continue;
        const double time_s = contender.run_time_s(actual);
        contender.mean_s += time_s / rules_.trials;
        contender.held += gains(time_s, mpi_s);
        any_sure = any_sure || contender.held > trial;
      }
    }
  }

  Selection take_if_sure(const std::vector<Contender>& contenders) {
    const Contender* best = nullptr;
    const Contender* nearest = &contenders.front();
    for (const Contender& contender : contenders) {
      if (contender.held > nearest->held) nearest = &contender;
      if (contender.held == rules_.trials &&
          (best == nullptr || final_rank(contender) < final_rank(*best)))
        best = &contender;
    }
    result_.held = nearest->held;
    if (best != nullptr) return take(*best);
    return give_up(label(nearest->candidate) + " is expected to take " +
                   against_mpi(nearest->forecast_s) + ", but holds in " + held_text());
  }

  double final_rank(const Contender& contender) const {
    return contender.rank_by(contender.mean_s, rules_.tie) *
           (contender.by_rule ? 1.0 : 1.0 + rules_.reading);
  }

  std::string held_text() const {
    return std::to_string(result_.held) + " of " + std::to_string(result_.trials) +
           " perturbed patterns tried";
  }

  Selection take(const Contender& contender) {
    result_.algorithm = contender.candidate.algorithm;
    result_.segments = contender.candidate.segments;
    result_.correction = contender.candidate.correction;
    if (contender.candidate.window > 0) result_.window = contender.candidate.window;
    result_.tick_s = tick_s(contender.candidate.reading, pattern_);
    result_.expected_s = contender.forecast_s;
    result_.reason = label(contender.candidate) + ": " + against_mpi(contender.forecast_s) +
                     (result_.trials > 0 ? ", holds in " + held_text() : ", the forecast is exact");
    return std::move(result_);
  }

  Problem problem_;
  const ArrivalPattern& pattern_;
  const CostModel& model_;
  const MpiPrice& mpi_;
  const SelectionRules& rules_;
  Schedule mpi_schedule_;
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
  if (rules.trials < 1 || rules.finalists < 1)
    throw Error(ErrorKind::argument, "give at least one trial and one finalist");
}

}  // namespace

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
