// K-chain: segments pass through k chains, combined on their way, and meet at the root.
// Cost (equal arrivals): about (ceil((P-1)/k) + k N - 1)(alpha + m/N (beta + gamma));
//   P processes, m bytes of the vector, N segments, alpha start-up time of a message, beta transfer
//   and gamma combining time per byte.
// Variant: k, from 1 to P - 1; unless set sqrt((P - 1) min(1, alpha / (m (beta + gamma)))), which
//   makes that least (chains_degree()). Open MPI ("chain") has 4.
// Source: Pjesivac-Grbovic et al. 2007, "Performance analysis of MPI collective operations",
//   Section 3 (chain with a fan-out, there a broadcast, turned round).

#include <cmath>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/degree.hpp"
#include "collectives/reduce/segments.hpp"
#include "collectives/reduce/tree.hpp"

namespace pat::algorithm_reduce_k_chain {
namespace {

int k_of(const Problem& problem) {
  const LinkCost& cost = problem.cost;
  return chains_degree(problem, cost.beta_s_per_byte + cost.gamma_s_per_byte);
}

/// (L - 1 + k N)(alpha + m/N (beta + gamma)), L messages in the longest chain, is least for
/// N = sqrt((L - 1) m (beta + gamma) / (k alpha)).
int segments_of(const Problem& problem, int k) {
  return reduce::segments_through(problem, (std::ceil((problem.ranks - 1.0) / k) - 1) / k);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  const int k = k_of(problem);
  return {.segments = segments_of(problem, k), .variant = k};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const int k = k_of(problem);
  return reduce::build_tree_reduce(problem, {.tree = ranked_chains(problem.ranks, problem.root, k),
                                             .segments = segments_of(problem, k)});
}

double flat_s(const CostTerms& t) {
  const double k = k_of(t.problem);
  return (std::ceil((t.P - 1) / k) + k * t.N - 1) * (t.alpha + t.n / t.N * (t.beta + t.gamma));
}

}  // namespace

PAT_ALGORITHM(reduce, k_chain) {
  return {.operation = Operation::reduce,
          .name = "k-chain",
          .idea = "segments pass through k chains that end at the root, k by the cost",
          .cost = "(ceil((P-1)/k) + k N - 1)(alpha + m/N (beta + gamma))",
          .flat_s = flat_s,
          .source = "Pjesivac-Grbovic et al. 2007, Section 3, turned round",
          .build = build,
          .tune = tune,
          .on_demand = true,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_k_chain
