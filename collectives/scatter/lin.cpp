// Linear scatter: the root sends the blocks one after another in rank order.
// Cost (equal arrivals): (P - 1)(alpha + n beta); P processes, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte. A leaf that is late by d seconds and is served
//   first: d more.
// Source: seed 001 Section 2.1, Eqs. 3, 4, 9 and 12.

#include <numeric>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/scatter/star.hpp"

namespace pat::algorithm_scatter_lin {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  std::vector<int> ranks(problem.ranks);
  std::iota(ranks.begin(), ranks.end(), 0);
  return scatter::build_star(problem, {.order = ranks});
}

}  // namespace

PAT_ALGORITHM(scatter, lin) {
  return {.operation = Operation::scatter,
          .name = "lin",
          .idea = "the root sends the blocks in rank order",
          .cost = "(P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "seed 001, Section 2.1, Eqs. 3, 4, 9, 12",
          .build = build,
          .star = true};
}

}  // namespace pat::algorithm_scatter_lin
