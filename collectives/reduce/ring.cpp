// Parallel ring: in P-1 rounds each of the P parts of the vector travels once around the ring and
// is combined on its way; the finished parts then gather at the root along a binomial tree.
// Cost (equal arrivals): (P - 1 + ceil(log2 P)) alpha + (P-1)/P m (2 beta + gamma); P processes, m
//   bytes of the vector, alpha start-up time of a message, beta transfer and gamma combining time
//   per byte.
// Source: seed 004 Section 5.5.2, Table 3 (bucket algorithm).

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce/scattered.hpp"

namespace pat::algorithm_reduce_ring {
namespace {

using reduce::Parts;

void gather(reduce::Scattered& parts, int ranks, int place, int root, std::uint32_t round) {
  for (int bit = 1; bit < ranks; bit *= 2, ++round) {
    if (place & bit)
      return parts.send((place - bit + root) % ranks, {place, std::min(place + bit, ranks)}, round);
    if (place + bit < ranks)
      parts.receive((place + bit + root) % ranks, {place + bit, std::min(place + 2 * bit, ranks)},
                    round);
  }
}

void build_rank(const Problem& problem, int rank, Program& program) {
  const int ranks = problem.ranks;
  const int place = (rank - problem.root + ranks) % ranks;
  reduce::Scattered parts(problem, rank, program, ranks);
  // Part k starts at place k + 1 and is finished at place k.
  for (int step = 0; step + 1 < ranks; ++step) {
    const auto round = static_cast<std::uint32_t>(step);
    const int out = (place - 1 - step + 2 * ranks) % ranks;
    const int in = (place - 2 - step + 2 * ranks) % ranks;
    parts.send((rank + 1) % ranks, {out, out + 1}, round);
    parts.combine((rank - 1 + ranks) % ranks, {in, in + 1}, reduce::Side::either, round);
  }
  gather(parts, ranks, place, problem.root, static_cast<std::uint32_t>(ranks) - 1);
  parts.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(reduce, ring) {
  return {
      .operation = Operation::reduce,
      .name = "ring",
      .idea = "parts travel around a ring, then gather at the root",
      .cost = "(P-1+ceil(log2 P)) alpha + (P-1)/P m (2 beta + gamma)",
      .flat_s = [](const CostTerms& t) { return (t.P - 1 + t.levels()) * t.alpha + t.scattered(); },
      .source = "seed 004, Section 5.5.2, Table 3",
      .build = build,
      .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_ring
