// Background sorted linear synchronised gather: as sls, and the root takes blocks in while it still
// computes.
// Cost (equal arrivals): as ls. One late leaf: as sls. Late root: max(a_root - a_first, cost of
//   ls); symbols as in lin.cpp, a_root the arrival of the root, a_first that of all leaves.
// Source: seed 001 Section 4.2, Fig. 10, Eqs. 18 and 20.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/gather/star.hpp"

namespace pat::algorithm_gather_bsls {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return gather::build_paced_star(problem, {arrival_order(pattern), true});
}

}  // namespace

PAT_ALGORITHM(gather, bsls) {
  return {.operation = Operation::gather,
          .name = "bsls",
          .idea = "as sls, the root receives in the background before it arrives",
          .cost = "alpha + (P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return t.paced_star_s(); },
          .source = "seed 001, Section 4.2, Fig. 10, Eqs. 18, 20",
          .build = build,
          .uses_pattern = true,
          .root_ordered = true,
          .star = true,
          .background = true};
}

}  // namespace pat::algorithm_gather_bsls
