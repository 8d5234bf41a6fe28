#include "collectives/cost/mpi_price.hpp"

#include <algorithm>
#include <limits>

#include "collectives/cost/small_machine.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

/// How far the logarithm of a price may be off: of what was measured, of a schedule that the model
/// prices, of the library, of which it is not even known what it runs, and of all that was not
/// measured together, as the links were measured in passing.
constexpr double measured_sd = 0.05, schedule_sd = 0.35, library_sd = 0.4, links_sd = 1.0;
/// And of what all processes share, which a few messages at once have told.
constexpr double shared_sd = 0.6;

Problem tuned(const Problem& problem, int segments, int window) {
  Problem changed = problem;
  changed.only_rank = -1;
  changed.segments = segments;
  if (window > 0) changed.window = window;
  return changed;
}

/// The library does not cut what it sends so that it leaves unasked.
Problem as_the_library_does(const Problem& problem, int segments, int window) {
  Problem its = tuned(problem, segments, window);
  its.cost.unasked_bytes = 0;
  return its;
}

double flat_time_s(const Algorithm& algorithm, const Problem& problem, const CostModel& model) {
  const SmallMachine machine(algorithm, problem, model);
  const ArrivalPattern flat = ArrivalPattern::flat(machine.problem.ranks);
  return simulate(build_schedule(algorithm, machine.problem, flat), flat, machine.model)
      .run_time_s();
}

bool is_large(const Problem& problem) {
  return problem.ranks > most_simulated;
}

/// What is fastest for equal arrivals, of very many processes by the formulas: it stands for the
/// library, whose price is measured against it.
double flat_estimate_s(const Algorithm& algorithm, const Problem& problem, const CostModel& model) {
  return is_large(problem) ? formula_s(algorithm, problem, model)
                           : flat_time_s(algorithm, problem, model);
}

bool can_do(const Algorithm& algorithm, const Problem& problem) {
  return algorithm.operation == problem.operation && algorithm.build != nullptr &&
         (problem.ranks <= most_simulated || algorithm.flat_s != nullptr) &&
         (problem.commutative || !algorithm.needs_commutative) &&
         (problem.counts.empty() || !algorithm.needs_all_counts);
}

}  // namespace

std::size_t largest_block_bytes(const Problem& problem) {
  std::size_t units = problem.units;
  for (const std::size_t count : problem.counts) units = std::max(units, count);
  return units * problem.unit_bytes;
}

MpiPrice fastest_without_pattern(const Problem& problem, const CostModel& model) {
  MpiPrice best;
  double best_s = std::numeric_limits<double>::infinity();
  for (const Algorithm& algorithm : algorithms()) {
    if (!can_do(algorithm, problem) || algorithm.uses_pattern || algorithm.on_demand) continue;
    const double time_s = flat_estimate_s(algorithm, as_the_library_does(problem, 0, 0), model);
    if (time_s < best_s) {
      best_s = time_s;
      best = {&algorithm, 0, problem.window, 1.0, 0.0};
    }
  }
  return best;
}

std::vector<Candidate> candidates_for(const Problem& problem, bool background) {
  std::vector<Candidate> candidates;
  for (const Algorithm& algorithm : algorithms()) {
    if (!can_do(algorithm, problem) || algorithm.on_demand) continue;
    if (algorithm.background && !background) continue;
    candidates.push_back({&algorithm, 0, 0, 1.0});
    if (algorithm.round_s != nullptr)
      for (const Reading reading : {Reading::coarse, Reading::blind})
        candidates.push_back({.algorithm = &algorithm, .reading = reading});
    const bool paced = row(algorithm.operation).many_to_one() && algorithm.root_ordered;
    if (paced && problem.window == 0) candidates.push_back({&algorithm, 0, 1, 1.0});
  }
  return candidates;
}

namespace {

/// What the fastest candidate takes when all arrive together; of very many processes only those are
/// simulated whose formulas do not say that they take longer than `known_s` or another one.
double least_flat_s(const Problem& problem, const CostModel& model, double known_s) {
  struct Way {
    const Algorithm* algorithm;
    Problem problem;
    double at_least_s;
  };
  std::vector<Way> ways;
  for (const Candidate& candidate : candidates_for(problem)) {
    if (candidate.reading != Reading::exact) continue;
    Way way{candidate.algorithm, tuned(problem, 0, candidate.window), 0.0};
    if (is_large(problem))
      way.at_least_s = formula_s(*way.algorithm, way.problem, model) / formula_error;
    ways.push_back(std::move(way));
  }
  std::ranges::stable_sort(ways, {}, &Way::at_least_s);
  for (const Way& way : ways)
    if (way.at_least_s < known_s)
      known_s = std::min(known_s, flat_time_s(*way.algorithm, way.problem, model));
  return known_s;
}

}  // namespace

MpiPrice price_mpi(const Problem& problem, const CostModel& model, double measured_flat_s) {
  validate(problem);
  MpiPrice price = row(problem.operation).stand_in(problem, model);
  if (price.stand_in == nullptr) return price;
  const Problem its = as_the_library_does(problem, price.segments, price.window);
  const double simulated_s = flat_time_s(*price.stand_in, its, model);
  if (simulated_s <= 0.0) return price;
  const double flat_s =
      measured_flat_s > 0.0 ? measured_flat_s : least_flat_s(problem, model, simulated_s);
  price.correction = flat_s / simulated_s;
  price.flat_s = flat_s;
  return price;
}

namespace {

Beliefs::Prior prior_of_shared(const Problem& problem, const CostModel& model,
                               const Calibration& calibration) {
  if (!model.shared.any()) return {};
  const auto* known = calibration.learnt_of(Calibration::Learnt::shared, 0, problem);
  if (known == nullptr) return {.own_sd = shared_sd};
  return {.correction = known->correction, .own_sd = known->log_sd};
}

}  // namespace

Prices price(const Problem& problem, const CostModel& model, const Calibration& calibration,
             bool background) {
  const double mpi_s = calibration.flat_s(get_algorithm(problem.operation, "mpi"), problem);
  Prices prices{model, price_mpi(problem, model, mpi_s), candidates_for(problem, background)};
  prices.shared = model.shared;
  prices.mpi.samples = mpi_s > 0.0;
  std::vector<Beliefs::Prior> priors = {
      {prices.mpi.correction, mpi_s > 0.0 ? measured_sd : library_sd, mpi_s > 0.0}};
  const auto* learnt = calibration.learnt_of("mpi", 0, problem);
  if (learnt != nullptr) {
    prices.mpi.samples = learnt->samples;
    priors.front() = {learnt->correction, learnt->log_sd, true};
  }
  for (Candidate& candidate : prices.candidates) {
    if (candidate.reading != Reading::exact) {  // as the exact one
      const Reading reading = candidate.reading;
      candidate = *(&candidate - 1);
      candidate.reading = reading;
      if (reading != Reading::blind) continue;
      priors.push_back(priors[candidate.way]);
      candidate.way = priors.size() - 1;
      continue;
    }
    candidate.flat_s = calibration.flat_s(*candidate.algorithm, problem);
    const double simulated_s = candidate.flat_s > 0.0
                                   ? flat_time_s(*candidate.algorithm, tuned(problem, 0, 0), model)
                                   : 0.0;
    const bool measured = simulated_s > 0.0;
    candidate.samples = measured;
    candidate.way = priors.size();
    if (const auto* known =
            calibration.learnt_of(candidate.algorithm->name, candidate.window, problem)) {
      candidate.samples = known->samples;
      priors.push_back({known->correction, known->log_sd, true});
      continue;
    }
    priors.push_back({measured ? candidate.flat_s / simulated_s : 1.0,
                      measured ? measured_sd : schedule_sd, measured});
  }
  prices.beliefs = Beliefs(priors, mpi_s > 0.0 || learnt != nullptr ? measured_sd : links_sd,
                           prior_of_shared(problem, model, calibration));
  take_over(prices);
  return prices;
}

Prices price_one(const Algorithm& algorithm, const CostModel& model) {
  Prices prices{model, {}, {{.algorithm = &algorithm, .way = 1}}};
  if (algorithm.round_s != nullptr)
    prices.candidates.push_back({.algorithm = &algorithm, .reading = Reading::blind, .way = 1});
  prices.shared = model.shared;
  prices.beliefs = Beliefs({{1.0, library_sd, false}, {1.0, schedule_sd, false}}, links_sd,
                           {.own_sd = model.shared.any() ? shared_sd : 0.0});
  take_over(prices);
  return prices;
}

Planned mpi_plan(const MpiPrice& price, const Problem& problem, const ArrivalPattern& pattern,
                 const CostModel& model, int most_exact) {
  if (price.stand_in == nullptr)
    throw Error(ErrorKind::argument, "there is no algorithm to price mpi by for " +
                                         std::string(name(problem.operation)));
  return {*price.stand_in, as_the_library_does(problem, price.segments, price.window), pattern,
          corrected(model, price.correction), most_exact};
}

double mpi_run_time_s(const MpiPrice& price, const Problem& problem, const ArrivalPattern& pattern,
                      const CostModel& model) {
  return mpi_plan(price, problem, pattern, model).run_time_s(pattern);
}

}  // namespace pat
