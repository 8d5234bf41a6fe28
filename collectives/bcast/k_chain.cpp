// K-chain: the root sends every segment to the heads of k chains, in which it is passed on.
// Cost (equal arrivals): about (ceil((P-1)/k) + k N - 1)(alpha + m/N beta); P processes, m bytes of
//   the vector, N segments, alpha start-up time of a message, beta transfer time per byte. It sends
//   k times as much as a pipeline, whose chain is k times as long: for small vectors.
// Variant: k, from 1 to P - 1; unless set sqrt((P - 1) min(1, alpha / (m beta))), which makes that
//   least (chains_degree()). Open MPI ("chain") has 4.
// Source: Pjesivac-Grbovic et al. 2007, "Performance analysis of MPI collective operations",
//   Section 3 (chain with a fan-out at the root).

#include <cmath>

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/degree.hpp"

namespace pat::algorithm_bcast_k_chain {
namespace {

int k_of(const Problem& problem) {
  return chains_degree(problem, problem.cost.beta_s_per_byte);
}

int longest(const Problem& problem, int k) {
  return (problem.ranks - 1 + k - 1) / k;
}

/// (L - 1 + k N)(alpha + m/N beta), L messages in the longest chain, is least for
/// N = sqrt((L - 1) m beta / (k alpha)).
int segments_of(const Problem& problem, int k) {
  if (problem.segments > 0) return problem.segments;
  return bcast::segments_through(problem, (longest(problem, k) - 1.0) / k);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  const int k = k_of(problem);
  return {.segments = segments_of(problem, k), .variant = k};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const int k = k_of(problem);
  return bcast::build_tree_bcast(problem, {.tree = ranked_chains(problem.ranks, problem.root, k),
                                           .segments = segments_of(problem, k)});
}

}  // namespace

PAT_ALGORITHM(bcast, k_chain) {
  return {.operation = Operation::bcast,
          .name = "k-chain",
          .idea = "segments pass through k chains that begin at the root, k by the cost",
          .cost = "(ceil((P-1)/k) + k N - 1)(alpha + m/N beta)",
          .flat_s =
              [](const CostTerms& t) {
                const double k = k_of(t.problem);
                return (std::ceil((t.P - 1) / k) + k * t.N - 1) * (t.alpha + t.n / t.N * t.beta);
              },
          .source = "Pjesivac-Grbovic et al. 2007, Section 3",
          .build = build,
          .tune = tune,
          .on_demand = true};
}

}  // namespace pat::algorithm_bcast_k_chain
