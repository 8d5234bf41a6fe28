// Binomial-stat: in round k the ranges [i 2^k, i 2^k + 2^(k-1)) and [i 2^k + 2^(k-1), (i+1) 2^k)
// meet, whichever of the two has the root receives.
// Cost (equal arrivals): ceil(log2 P) (alpha + m beta + m gamma), for any root and for operations
//   that do not commute, too; P processes, m bytes of the vector, alpha start-up time of a message,
//   beta transfer and gamma combining time per byte. The operands are bracketed alike for each
//   root.
// Source: seed 002 Section 3.2, Figure 2(a). There the result stays where it comes out, at rank 0;
//   that the root's range receives is PAT's, and saves the message that bnom sends at the end.

#include "collectives/algorithm.hpp"
#include "collectives/patterns/power_of_two.hpp"
#include "collectives/reduce/range_tree.hpp"

namespace pat::algorithm_reduce_binomial_stat {
namespace {

reduce::Cut cut(int size, int) {
  const auto rounds = static_cast<std::uint32_t>(ceil_log2(size));
  return {.first = 1 << (rounds - 1), .round = rounds - 1};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return reduce::build_ranges(cut, problem);
}

}  // namespace

PAT_ALGORITHM(reduce, binomial_stat) {
  return {.operation = Operation::reduce,
          .name = "binomial-stat",
          .idea = "binomial tree of neighbouring ranges, the one with the root receives",
          .cost = "ceil(log2 P) (alpha + m beta + m gamma)",
          .source = "seed 002, Section 3.2, Figure 2(a)",
          .build = build,
          .on_demand = true};
}

}  // namespace pat::algorithm_reduce_binomial_stat
