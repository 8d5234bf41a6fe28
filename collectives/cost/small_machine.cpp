#include "collectives/cost/small_machine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "collectives/cost/reduce_bounds.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

/// Processes of a small machine: fewer where a simulation is not one message a process, but for
/// plans in rounds, which make use of small differences.
int few(const Algorithm& algorithm) {
  const OperationRow& about = row(algorithm.operation);
  return algorithm.round_s != nullptr || (about.rooted && about.in_blocks()) ? 32 : 16;
}

/// First rank of group `group`.
int first_of(int group, int ranks, int small) {
  return static_cast<int>(static_cast<std::int64_t>(group) * ranks / small);
}

int group_of(int rank, int ranks, int small) {
  int group = static_cast<int>(static_cast<std::int64_t>(rank) * small / ranks);
  while (first_of(group + 1, ranks, small) <= rank) ++group;
  while (first_of(group, ranks, small) > rank) --group;
  return group;
}

Problem grouped(const Problem& whole, int small) {
  Problem problem = whole;
  problem.ranks = small;
  problem.root = group_of(whole.root, whole.ranks, small);
  problem.only_rank = -1;
  problem.factors.clear();
  if (!row(whole.operation).in_blocks()) return problem;
  const auto share = static_cast<double>(whole.ranks) / small;
  problem.units = static_cast<std::size_t>(std::ceil(share * static_cast<double>(whole.units)));
  for (std::size_t& count : problem.counts) count = 0;
  if (whole.counts.empty()) return problem;
  problem.counts.assign(static_cast<std::size_t>(small), 0);
  for (int rank = 0; rank < whole.ranks; ++rank)
    problem.counts[group_of(rank, whole.ranks, small)] += whole.counts[rank];
  return problem;
}

/// How many processes the small machine has: a power of two if the large one has, and for
/// algorithms that need pairs even or odd as that one is. All where no formula says how costs grow.
int small_ranks(const Algorithm& algorithm, const Problem& whole, int most_exact) {
  const int most = few(algorithm);
  if (whole.ranks <= std::max(most_exact, most) || algorithm.flat_s == nullptr) return whole.ranks;
  if (std::has_single_bit(static_cast<unsigned>(whole.ranks))) return most;
  return most * 3 / 4 - whole.ranks % 2;
}

/// With the pieces that the algorithm chooses for equal arrivals, where that takes no trials.
Problem cut(const Algorithm& algorithm, Problem problem) {
  if (algorithm.tune == nullptr || algorithm.round_s != nullptr) return problem;
  const Tuning tuning = algorithm.tune(problem, ArrivalPattern::flat(problem.ranks));
  problem.segments = tuning.segments;
  problem.variant = tuning.variant;
  return problem;
}

/// Reductions to a root in pieces whose number `cut` does not give.
bool chooses_while_building(const Algorithm& algorithm) {
  const OperationRow& about = row(algorithm.operation);
  return about.rooted && about.combines &&
         (algorithm.tune == nullptr || algorithm.round_s != nullptr);
}

/// For start-ups that cost `share` times as much. In two trees it takes many pieces to show how one
/// hinders the other.
int pieces_of(const Algorithm& algorithm, Problem problem, double share) {
  constexpr double many = 4.0;
  const double most = algorithm.round_s == nullptr ? 16.0 : 12.0;
  if (algorithm.round_s == nullptr) problem.cost.alpha_s /= std::min(share, many * many);
  const double best = check::best_segments(problem.cost, problem.ranks, problem.block_bytes());
  return static_cast<int>(std::clamp(best, 1.0, most));
}

/// By what `model`'s times grow from one problem to the other.
double growth(const Algorithm& algorithm, const Problem& small, const Problem& whole,
              const CostModel& model) {
  const double small_s = algorithm.flat_s({small, model});
  const double whole_s = algorithm.flat_s({whole, model});
  return small_s > 0.0 && whole_s > 0.0 ? whole_s / small_s : 1.0;
}

CostModel start_ups(const CostModel& model) {
  return {.alpha_s = model.alpha_s, .beta_s_per_byte = 0.0, .gamma_s_per_byte = 0.0};
}

CostModel transfers(const CostModel& model) {
  return {.alpha_s = 0.0,
          .beta_s_per_byte = model.beta_s_per_byte,
          .gamma_s_per_byte = model.gamma_s_per_byte};
}

}  // namespace

double formula_s(const Algorithm& algorithm, const Problem& problem, const CostModel& model) {
  if (algorithm.flat_s == nullptr)
    throw Error(ErrorKind::internal, algorithm.name + " has no formula for its cost");
  return problem.ranks > 1 ? algorithm.flat_s({cut(algorithm, problem), model}) : 0.0;
}

SmallMachine::SmallMachine(const Algorithm& algorithm, const Problem& whole, const CostModel& large,
                           int most_exact)
    : problem(whole), model(large) {
  const int small = small_ranks(algorithm, whole, most_exact);
  if (small == whole.ranks) return;
  problem = grouped(whole, small);
  problem.link_slowdown.clear();  // which of the large machine it would be, nobody can say
  model.link_slowdown.clear();
  const double share = static_cast<double>(whole.ranks) / small;
  // How many pieces are best follows from what start-ups cost: each is worth more here.
  problem.cost.alpha_s *= share;
  problem.cost.unasked_bytes =
      static_cast<std::size_t>(share * static_cast<double>(problem.cost.unasked_bytes));
  if (problem.segments == 0 && chooses_while_building(algorithm))
    problem.segments = pieces_of(algorithm, problem, share);
  const Problem small_cut = cut(algorithm, problem), whole_cut = cut(algorithm, whole);
  const double more = growth(algorithm, small_cut, whole_cut, start_ups(large));
  const double longer = growth(algorithm, small_cut, whole_cut, transfers(large));
  model.alpha_s *= more;
  model.incast_stall_s *= more;
  model.beta_s_per_byte *= longer;
  model.gamma_s_per_byte *= longer;
  model.shared = {};  // for how many of the large machine's each message stands no formula says
  if (row(whole.operation).in_blocks())
    model.eager_bytes = static_cast<std::size_t>(share * static_cast<double>(model.eager_bytes));
  if (algorithm.round_s == nullptr) return;
  problem.rounds.clear();
  problem.cost = {whole.cost.alpha_s * more, whole.cost.beta_s_per_byte * longer,
                  whole.cost.gamma_s_per_byte * longer};
}

Sample::Sample(const ArrivalPattern& pattern, int root, int small) {
  const auto ranks = static_cast<int>(pattern.offset_s.size());
  if (small >= ranks) return;
  for (int group = 0; group < small; ++group) {
    const int first = first_of(group, ranks, small);
    const int members = first_of(group + 1, ranks, small) - first;
    rank_.push_back(first +
                    static_cast<int>((static_cast<std::uint32_t>(group) * 2654435769u >> 16) %
                                     static_cast<std::uint32_t>(members)));
  }
  root_ = root;
  const auto stands = [&](int rank, int besides) {
    int group = group_of(rank, ranks, small);
    while (group == group_of(root, ranks, small) || group == besides) group = (group + 1) % small;
    rank_[group] = rank;
    return group;
  };
  rank_[group_of(root, ranks, small)] = root;
  const auto [first, last] = first_and_last(pattern);
  first_group_ = stands(first, -1);
  last_group_ = stands(last, first_group_);
}

std::pair<int, int> Sample::first_and_last(const ArrivalPattern& pattern) const {
  int first = 0, last = 0;
  double first_s = std::numeric_limits<double>::infinity(), last_s = -first_s;
  for (int rank = 0; rank < pattern.ranks(); ++rank) {
    if (rank == root_) continue;
    const double offset_s = pattern.offset_s[rank];
    if (offset_s < first_s) first = rank, first_s = offset_s;
    if (offset_s >= last_s) last = rank, last_s = offset_s;
  }
  return {first, last};
}

ArrivalPattern Sample::of(const ArrivalPattern& pattern) const {
  if (rank_.empty()) return pattern;
  ArrivalPattern sample;
  sample.epoch = pattern.epoch;
  for (const int rank : rank_) {
    sample.offset_s.push_back(pattern.offset_s[rank]);
    if (!pattern.half_width_s.empty()) sample.half_width_s.push_back(pattern.half_width_s[rank]);
  }
  const auto [first, last] = first_and_last(pattern);
  sample.offset_s[first_group_] = pattern.offset_s[first];
  sample.offset_s[last_group_] = pattern.offset_s[last];
  return sample;
}

Planned::Planned(const Algorithm& algorithm, const Problem& whole, const ArrivalPattern& forecast,
                 const ArrivalPattern& planned, const CostModel& model, int most_exact)
    : algorithm_(&algorithm),
      machine_(algorithm, whole, model, most_exact),
      sample_(forecast, whole.root, machine_.problem.ranks),
      forecast_(sample_.of(forecast)) {
  if (algorithm.protocol == nullptr)
    plan_.emplace(build_schedule(algorithm, machine_.problem, sample_.of(planned)));
}

Reading Planned::reading_by_rule() const {
  return reading_for(forecast_, algorithm_->round_s(machine_.problem, forecast_));
}

double Planned::run_time_s(const ArrivalPattern& pattern) const {
  return run_time_s(pattern, machine_.model);
}

double Planned::run_time_s(const ArrivalPattern& pattern, const CostModel& model) const {
  const ArrivalPattern arrivals = sample_.of(pattern);
  if (plan_) return plan_->run(arrivals, model).run_time_s();
  const Schedule live = build_schedule(*algorithm_, machine_.problem, arrivals);
  return simulate(live, arrivals, model).run_time_s();
}

double Planned::shared_share(const ArrivalPattern& pattern, double run_time_s) const {
  if (!machine_.model.shared.any() || run_time_s <= 0.0) return 0.0;
  constexpr double more = 1.1;
  CostModel dearer = machine_.model;
  dearer.shared = dearer.shared.times(more);
  return std::max(0.0, std::log(this->run_time_s(pattern, dearer) / run_time_s) / std::log(more));
}

}  // namespace pat
