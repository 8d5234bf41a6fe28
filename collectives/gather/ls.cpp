// Linear synchronised gather: leaves send in rank order, each after the root's go-ahead.
// Cost (equal arrivals): at most (P - 1)(3 alpha + n beta); symbols as in lin.cpp. With window 1
// the
//   go-ahead of a leaf travels while the second piece of the leaf before is still arriving.
// Source: seed 001 Section 2.1, Eqs. 5 and 6; Open MPI's linear_sync.

#include <numeric>

#include "collectives/algorithm.hpp"
#include "collectives/gather/star.hpp"

namespace pat {
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
          .cost = "<= (P-1)(3 alpha + n beta)",
          .source = "seed 001, Section 2.1, Eqs. 5, 6",
          .build = build};
}

}  // namespace pat
