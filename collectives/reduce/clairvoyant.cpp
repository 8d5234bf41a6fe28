// Clairvoyant: the vector is cut into N segments; in rounds of length d every process that has come
// by then receives and sends one segment, as far as a greedy search finds it a partner.
// Cost (equal arrivals): ceil(log2 P) + N - 1 rounds of d = alpha + (m/N)(beta + gamma); P
//   processes, m bytes of the vector, alpha start-up time of a message, beta transfer and gamma
//   combining time per byte. With the best N, h = ceil(log2 P) - 1:
//   h alpha + 2 sqrt(h alpha m (beta + gamma)) + m (beta + gamma).
// Source: seed 004 Algorithm 1, Eqs. 1 and 2, Table 3; seed 000 Listings 2 and 8.

#include "collectives/clairvoyant/clairvoyant.hpp"
#include "collectives/clairvoyant/segments.hpp"
#include "collectives/cost/reduce_bounds.hpp"

#include <algorithm>
#include <string>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "core/errors.hpp"

namespace pat::algorithm_reduce_clairvoyant {
namespace {

/// Up to so many segments in all, ranks times segments, trying out numbers of segments takes well
/// below a millisecond; beyond, it may take this share of the run time that is expected, at so many
/// seconds a segment (docs/clairvoyant.md: measured, and what the bound alone loses).
constexpr double few_segments = 256;
constexpr double share_of_run = 0.1, trying_s = 10e-6;

bool can_be_tried(const Problem& problem, const ArrivalPattern& pattern) {
  const double round_s = clairvoyant::round_length_s(problem, problem.segments);
  const double run_s =
      static_cast<double>(check::reduce_round_bound(pattern.offset_s, problem.segments, round_s)) *
      round_s;
  return problem.ranks * problem.segments <=
         std::max(few_segments, share_of_run * run_s / trying_s);
}

Problem with_segments(Problem problem, const ArrivalPattern& pattern) {
  problem.segments = clairvoyant::segments_for(problem, pattern);
  if (!can_be_tried(problem, pattern)) return problem;
  Problem open = problem;
  open.segments = 0;
  problem.segments = clairvoyant::choose_segments(open, pattern, cost_model(problem.cost));
  return problem;
}

Tuning tune(const Problem& given, const ArrivalPattern& pattern) {
  const Problem problem = given.segments > 0 ? given : with_segments(given, pattern);
  const clairvoyant::Plan plan = clairvoyant::plan(problem, pattern);
  return {plan.instance.segments, static_cast<int>(plan.instance.order)};
}

/// Ticks, and with the paper's order the order of the remainders.
std::vector<std::uint32_t> key(const Problem& problem, const ArrivalPattern& pattern) {
  if (problem.segments < 1 || problem.variant < 0) return {};
  const auto order = static_cast<clairvoyant::Order>(problem.variant);
  const clairvoyant::Instance instance =
      clairvoyant::instance_of(problem, pattern, problem.segments, order);
  std::vector<std::uint32_t> key = instance.tick;
  if (order == clairvoyant::Order::paper)
    key.insert(key.end(), instance.part.begin(), instance.part.end());
  return key;
}

double round_s(const Problem& problem, const ArrivalPattern& pattern) {
  return clairvoyant::round_length_s(problem, clairvoyant::segments_for(problem, pattern));
}

/// The variant is the order.
Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  clairvoyant::Options options;
  if (problem.variant > static_cast<int>(clairvoyant::Order::latest_first))
    throw Error(ErrorKind::argument,
                "clairvoyant has no variant " + std::to_string(problem.variant) + ", give 0 or 1");
  if (problem.variant >= 0) options.order = static_cast<clairvoyant::Order>(problem.variant);
  const clairvoyant::Plan plan = clairvoyant::plan(problem, pattern, options);
  return clairvoyant::to_schedule(problem, plan.list, plan.instance.segments);
}

}  // namespace

PAT_ALGORITHM(reduce, clairvoyant) {
  return {.operation = Operation::reduce,
          .name = "clairvoyant",
          .idea = "segments go between whoever has come, planned from the predicted arrivals",
          .cost = "(ceil(log2 P)+N-1)(alpha + m/N (beta + gamma))",
          .flat_s =
              [](const CostTerms& t) {
                const double N = t.segments_or_best(t.levels() - 1, true);
                return (t.levels() + N - 1) * (t.alpha + t.n / N * (t.beta + t.gamma));
              },
          .source = "seed 004, Algorithm 1; seed 000, Listings 2, 8",
          .build = build,
          .tune = tune,
          .round_s = round_s,
          .key = key,
          .uses_pattern = true,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_clairvoyant
