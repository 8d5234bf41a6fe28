// Sorted binomial tree: word goes up in the order of arrivals to the process that comes last, whose
// neighbours in the tree come right before it, and down again.
// Cost (equal arrivals): 2 ceil(log2 P) alpha; ceil(log2 P) alpha after the last arrival where all
//   others have come that much earlier, the least there is; P processes, alpha start-up time of a
//   message.
// Source: after the sorted trees of seed 001 Section 4, in place of the tree of seed 003.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/barrier/signals.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/binomial.hpp"

namespace pat::algorithm_barrier_sbn {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  std::vector<int> latest_first = arrival_order(pattern);
  std::reverse(latest_first.begin(), latest_first.end());
  const auto children = [&](int number) {
    return binomial::low_bit_children(number, problem.ranks);
  };
  return barrier::up_and_down(problem, lay_out(latest_first, children));
}

}  // namespace

PAT_ALGORITHM(barrier, sbn) {
  return {.operation = Operation::barrier,
          .name = "sbn",
          .idea = "word goes up a binomial tree to who comes last, in the order of arrivals",
          .cost = "2 ceil(log2 P) alpha; half of it after a last arrival",
          .flat_s = [](const CostTerms& t) { return 2 * t.levels() * t.alpha; },
          .source = "after seed 001, Section 4, and seed 003",
          .build = build,
          .uses_pattern = true};
}

}  // namespace pat::algorithm_barrier_sbn
