#include <algorithm>
#include <limits>

#include "collectives/cost/select.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

Problem tuned(const Problem& problem, int segments, int window) {
  Problem changed = problem;
  changed.only_rank = -1;
  changed.segments = segments;
  if (window > 0) changed.window = window;
  return changed;
}

double flat_time_s(const Algorithm& algorithm, const Problem& problem, const CostModel& model) {
  const ArrivalPattern flat = ArrivalPattern::flat(problem.ranks);
  return simulate(build_schedule(algorithm, problem, flat), flat, model).run_time_s();
}

bool can_do(const Algorithm& algorithm, const Problem& problem) {
  return algorithm.operation == problem.operation && algorithm.build != nullptr &&
         (problem.commutative || !algorithm.needs_commutative) &&
         (problem.counts.empty() || !algorithm.needs_all_counts);
}

/// The largest block decides, as Open MPI decides by the block size that all ranks share.
std::size_t block_bytes(const Problem& problem) {
  std::size_t units = problem.units;
  for (const std::size_t count : problem.counts) units = std::max(units, count);
  return units * problem.unit_bytes;
}

MpiPrice open_mpi_gather(const Problem& problem) {
  const auto star = [](const char* name, int segments) {
    return MpiPrice{&get_algorithm(Operation::gather, name), segments, 1, 1.0, 0.0};
  };
  const std::size_t bytes = block_bytes(problem);
  if (!problem.counts.empty()) return star("lin", 0);
  if (bytes > 6000) return star("ls", 2);
  if (problem.ranks > 60 || (problem.ranks > 10 && bytes < 1024)) return star("bnom", 0);
  return star("lin", 0);
}

MpiPrice open_mpi_scatter(const Problem& problem) {
  const bool tree = problem.counts.empty() && problem.ranks > 10 && block_bytes(problem) < 300;
  return {&get_algorithm(Operation::scatter, tree ? "bnom" : "lin"), 0, 1, 1.0, 0.0};
}

MpiPrice fastest_without_pattern(const Problem& problem, const CostModel& model) {
  MpiPrice best;
  double best_s = std::numeric_limits<double>::infinity();
  for (const Algorithm& algorithm : algorithms()) {
    if (!can_do(algorithm, problem) || algorithm.uses_pattern) continue;
    const double time_s = flat_time_s(algorithm, tuned(problem, 0, 0), model);
    if (time_s < best_s) {
      best_s = time_s;
      best = {&algorithm, 0, problem.window, 1.0, 0.0};
    }
  }
  return best;
}

}  // namespace

std::vector<Candidate> candidates_for(const Problem& problem, bool background) {
  std::vector<Candidate> candidates;
  for (const Algorithm& algorithm : algorithms()) {
    if (!can_do(algorithm, problem) || !algorithm.uses_pattern || algorithm.on_demand) continue;
    if (algorithm.background && !background) continue;
    candidates.push_back({&algorithm, 0, 0, 1.0});
    if (algorithm.round_s != nullptr)
      for (const Reading reading : {Reading::coarse, Reading::blind})
        candidates.push_back({.algorithm = &algorithm, .reading = reading});
    const bool paced = algorithm.operation == Operation::gather && algorithm.root_ordered;
    if (paced && problem.window == 0) candidates.push_back({&algorithm, 0, 1, 1.0});
  }
  return candidates;
}

MpiPrice price_mpi(const Problem& problem, const CostModel& model, double measured_flat_s) {
  validate(problem);
  MpiPrice price;
  if (problem.operation == Operation::gather)
    price = open_mpi_gather(problem);
  else if (problem.operation == Operation::scatter)
    price = open_mpi_scatter(problem);
  else
    price = fastest_without_pattern(problem, model);
  if (price.stand_in == nullptr) return price;
  const double simulated_s =
      flat_time_s(*price.stand_in, tuned(problem, price.segments, price.window), model);
  if (simulated_s <= 0.0) return price;
  double flat_s = measured_flat_s;
  if (flat_s <= 0.0) {
    flat_s = simulated_s;
    for (const Candidate& candidate : candidates_for(problem))
      if (candidate.reading == Reading::exact)
        flat_s = std::min(
            flat_s, flat_time_s(*candidate.algorithm, tuned(problem, 0, candidate.window), model));
  }
  price.correction = flat_s / simulated_s;
  price.flat_s = flat_s;
  price.measured = measured_flat_s > 0.0;
  return price;
}

Prices price(const Problem& problem, const CostModel& model, const Calibration& calibration,
             bool background) {
  const double mpi_s = calibration.flat_s(get_algorithm(problem.operation, "mpi"), problem);
  Prices prices{model, price_mpi(problem, model, mpi_s), candidates_for(problem, background)};
  if (mpi_s <= 0.0) return prices;
  for (Candidate& candidate : prices.candidates) {
    if (candidate.reading != Reading::exact) {  // follows the exact one
      candidate.flat_s = (&candidate - 1)->flat_s;
      candidate.correction = (&candidate - 1)->correction;
      continue;
    }
    candidate.flat_s = calibration.flat_s(*candidate.algorithm, problem);
    const double simulated_s = candidate.flat_s > 0.0
                                   ? flat_time_s(*candidate.algorithm, tuned(problem, 0, 0), model)
                                   : 0.0;
    candidate.correction =
        simulated_s > 0.0 ? candidate.flat_s / simulated_s : std::max(1.0, prices.mpi.correction);
  }
  return prices;
}

Schedule mpi_schedule(const MpiPrice& price, const Problem& problem,
                      const ArrivalPattern& pattern) {
  if (price.stand_in == nullptr)
    throw Error(ErrorKind::argument, "there is no algorithm to price mpi by for " +
                                         std::string(name(problem.operation)));
  return build_schedule(*price.stand_in, tuned(problem, price.segments, price.window), pattern);
}

double mpi_run_time_s(const MpiPrice& price, const Problem& problem, const ArrivalPattern& pattern,
                      const CostModel& model) {
  return simulate(mpi_schedule(price, problem, pattern), pattern,
                  corrected(model, price.correction))
      .run_time_s();
}

}  // namespace pat
