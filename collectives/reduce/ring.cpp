// Parallel ring: in P-1 rounds each of the P parts of the vector travels once around the ring and is
// combined on its way; the owners of the finished parts then send them up a binomial tree.
// Cost (equal arrivals): (P - 1 + n) alpha + (P - 1)/P m (2 beta + gamma); n = ceil(log2 P), m bytes
//   of the vector, alpha start-up time of a message, beta transfer and gamma combining time per
//   byte. Exact for powers of two; else the gather has its last, smaller subtree.
// Source: seed 004 Section 5.5.2, Table 3 (bucket algorithm).

#include "collectives/algorithm.hpp"
#include "collectives/reduce/scattered.hpp"

namespace pat {
namespace {

void build_rank(const Problem& problem, int rank, Program& program) {
  const int ranks = problem.ranks;
  const int place = (rank - problem.root + ranks) % ranks;
  const auto at = [&](int other) { return (other + problem.root) % ranks; };
  reduce::Partials partials(problem, rank, program, ranks);
  // Part k starts at place k + 1 and ends at place k.
  for (int round = 0; round + 1 < ranks; ++round) {
    const auto number = static_cast<std::uint32_t>(round);
    partials.send(at((place + 1) % ranks), (place - 1 - round + 2 * ranks) % ranks, number);
    partials.combine(at((place - 1 + ranks) % ranks), (place - 2 - round + 2 * ranks) % ranks,
                     reduce::Side::either, number);
  }
  reduce::gather_parts(partials, ranks, place, at, static_cast<std::uint32_t>(ranks - 1));
  partials.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  Schedule schedule(problem);
  for (int rank = 0; rank < problem.ranks; ++rank)
    if (schedule.wants(rank)) build_rank(problem, rank, schedule.programs[rank]);
  return schedule;
}

}  // namespace

PAT_ALGORITHM(reduce, ring) {
  return {.operation = Operation::reduce,
          .name = "ring",
          .idea = "parts travel around a ring, then gather at the root",
          .cost = "(P-1+n) alpha + (P-1)/P m (2 beta + gamma)",
          .source = "seed 004, Section 5.5.2, Table 3",
          .build = build,
          .needs_commutative = true};
}

}  // namespace pat
