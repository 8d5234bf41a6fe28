// Sorted linear synchronised gather: as ls, but the go-aheads follow the predicted arrivals.
// Cost (equal arrivals): as ls. One late leaf: max(a_late - a_first + alpha + n beta, cost of ls),
//   its go-ahead being there before it; symbols as in lin.cpp, a_late the arrival of the late leaf,
//   a_first that of all others. The paper's Eq. 18 has 3 alpha.
// Source: seed 001 Section 4.2, Fig. 9, Eqs. 18 and 19.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/gather/star.hpp"

namespace pat::algorithm_gather_sls {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return gather::build_paced_star(problem, {arrival_order(pattern), false});
}

}  // namespace

PAT_ALGORITHM(gather, sls) {
  return {.operation = Operation::gather,
          .name = "sls",
          .idea = "go-aheads in the order of the predicted arrivals",
          .cost = "alpha + (P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return t.paced_star_s(); },
          .source = "seed 001, Section 4.2, Fig. 9, Eqs. 18, 19",
          .build = build,
          .uses_pattern = true,
          .root_ordered = true,
          .star = true};
}

}  // namespace pat::algorithm_gather_sls
