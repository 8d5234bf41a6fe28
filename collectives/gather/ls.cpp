// Linear synchronised gather: leaves send in rank order, each after the root's go-ahead.
// Cost (equal arrivals): alpha + (P - 1)(alpha + n beta); symbols as in lin.cpp. The paper's form
//   (problem.window 1, problem.segments 2): alpha + (P - 1)(2 alpha + n beta), which Eq. 5 bounds
//   by (P - 1)(3 alpha + n beta); there the go-ahead of a leaf travels while the second piece of
//   the leaf before is still arriving, here (window 2) while its whole block is.
// Source: seed 001 Section 2.1, Eqs. 5 and 6; Open MPI's linear_sync.

#include <numeric>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/gather/star.hpp"

namespace pat::algorithm_gather_ls {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  std::vector<int> ranks(problem.ranks);
  std::iota(ranks.begin(), ranks.end(), 0);
  return gather::build_paced_star(problem, {ranks, false});
}

}  // namespace

PAT_ALGORITHM(gather, ls) {
  return {.operation = Operation::gather,
          .name = "ls",
          .idea = "leaves send in rank order, each after the root's go-ahead",
          .cost = "alpha + (P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return t.paced_star_s(); },
          .source = "seed 001, Section 2.1, Eqs. 5, 6",
          .build = build,
          .star = true};
}

}  // namespace pat::algorithm_gather_ls
