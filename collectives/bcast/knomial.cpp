// K-nomial tree: in each round everyone who has the vector sends it to k - 1 others; rank order,
// counted from the root.
// Cost (equal arrivals): at most (k - 1) ceil(log_k P) (alpha + m beta); P processes, m bytes of
// the
//   vector, alpha start-up time of a message, beta transfer time per byte. Where start-up times do
//   not overlap, as here, no k is better than 2; where another is as good, 2 is taken.
// Variant: k, from 2 to P.
// Source: seed 003 (broadcast, k-nomial tree; derived, as its formula for k = 3 is misprinted).

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"

namespace pat {
namespace {

/// Parent of v: v without its lowest digit to the base k that is not 0.
std::vector<int> children_of(int v, int ranks, int k) {
  int limit = 1;
  if (v == 0)
    while (limit < ranks) limit *= k;
  else
    while (v / limit % k == 0) limit *= k;
  std::vector<int> children;
  for (int step = limit / k; step > 0; step /= k)
    for (int digit = 1; digit < k; ++digit)
      if (v + digit * step < ranks) children.push_back(v + digit * step);
  return children;
}

/// With k = 2 the last one has it after ceil(log2 P) messages, one after another; none can be
/// sooner.
int k_of(const Problem& problem) {
  if (problem.variant >= 2 && problem.variant <= std::max(2, problem.ranks)) return problem.variant;
  return 2;
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.variant = k_of(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  std::vector<int> from_root(static_cast<std::size_t>(problem.ranks));
  for (int i = 0; i < problem.ranks; ++i) from_root[i] = (problem.root + i) % problem.ranks;
  const int k = k_of(problem);
  return bcast::build_tree_bcast(problem, {.tree = lay_out(from_root, [&](int number) {
                                             return children_of(number, problem.ranks, k);
                                           })});
}

}  // namespace

PAT_ALGORITHM(bcast, knomial) {
  return {.operation = Operation::bcast,
          .name = "knomial",
          .idea = "k-nomial tree in rank order, k by the number of ranks",
          .cost = "(k-1) ceil(log_k P)(alpha + m beta)",
          .flat_s = [](const CostTerms& t) { return t.levels() * (t.alpha + t.n * t.beta); },
          .source = "seed 003",
          .build = build,
          .tune = tune};
}

}  // namespace pat
