// Tree: word goes up a binomial tree of the ranks to rank 0 and down again.
// Cost (equal arrivals): 2 ceil(log2 P) alpha; P processes, alpha start-up time of a message.
// Source: seed 003 (barrier algorithms of Open MPI).

#include "collectives/algorithm.hpp"
#include "collectives/barrier/signals.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_barrier_tree {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return barrier::up_and_down(problem, ranked_binomial(problem.ranks, 0));
}

}  // namespace

PAT_ALGORITHM(barrier, tree) {
  return {.operation = Operation::barrier,
          .name = "tree",
          .idea = "word goes up a binomial tree to rank 0 and down again",
          .cost = "2 ceil(log2 P) alpha",
          .flat_s = [](const CostTerms& t) { return 2 * t.levels() * t.alpha; },
          .source = "seed 003, barrier algorithms of Open MPI",
          .build = build};
}

}  // namespace pat::algorithm_barrier_tree
