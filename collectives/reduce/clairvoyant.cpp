// Clairvoyant: the vector is cut into N segments; in rounds of length d every process that has come
// by then receives and sends one segment, as far as a greedy search finds it a partner.
// Cost (equal arrivals): R d, R = n + N - 1 rounds of d = alpha + (m / N)(beta + gamma);
//   n = ceil(log2 P), m bytes of the vector. With the best N: (n-1) alpha + 2 sqrt((n-1) alpha)
//   sqrt(m (beta + gamma)) + m (beta + gamma).
// Source: seed 004 Algorithm 1, Eqs. 1 and 2, Table 3; seed 000 Listings 2 and 8.

#include "collectives/clairvoyant/clairvoyant.hpp"

#include "collectives/algorithm.hpp"

namespace pat {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const clairvoyant::Plan plan = clairvoyant::plan(problem, pattern);
  return clairvoyant::to_schedule(problem, plan.list, plan.instance.segments);
}

}  // namespace

PAT_ALGORITHM(reduce, clairvoyant) {
  return {.operation = Operation::reduce,
          .name = "clairvoyant",
          .idea = "segments go between whoever has come, planned from the predicted arrivals",
          .cost = "(n+N-1)(alpha + m/N (beta + gamma))",
          .source = "seed 004, Algorithm 1; seed 000, Listings 2, 8",
          .build = build,
          .uses_pattern = true,
          .needs_commutative = true};
}

}  // namespace pat
