// Ring: in P-1 rounds each of the P parts of the vector travels once around the ring of ranks and
// is combined on its way; in P-1 more the finished parts travel once around.
// Cost (equal arrivals): 2 (P-1) N alpha + (P-1)/P m (2 beta + gamma); P processes, m bytes of the
//   vector, N segments of each part (problem.segments; 1 unless set), alpha start-up time of a
//   message, beta transfer and gamma combining time per byte. With segments a rank passes the first
//   on while the second comes.
// Source: Patarasuk, Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of
//   workstations", Section 3; seed 003 (allreduce).

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/vector.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/pieces.hpp"

namespace pat::algorithm_allreduce_ring {
namespace {

using reduce::Parts;
using reduce::Side;

int segments_of(const Problem& problem) {
  if (problem.segments > 0) return problem.segments;
  return unasked_pieces(problem, problem.block_bytes() / problem.ranks);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = segments_of(problem)};
}

void build_rank(const Problem& problem, int rank, Program& program) {
  const int ranks = problem.ranks, segments = segments_of(problem);
  const int next = (rank + 1) % ranks, previous = (rank - 1 + ranks) % ranks;
  allreduce::Vector vector(problem, program, ranks * segments);
  // Part k starts at rank k + 1, is finished at rank k, and travels on from there.
  for (int step = 0; step < 2 * (ranks - 1); ++step) {
    const int out = (rank - 1 - step + 3 * ranks) % ranks;
    const int in = (rank - 2 - step + 3 * ranks) % ranks;
    const auto round = static_cast<std::uint32_t>(step);
    for (int segment = 0; segment < segments; ++segment) {
      const auto piece = [&](int part) {
        return Parts{part * segments + segment, part * segments + segment + 1};
      };
      vector.send(next, piece(out), round);
      if (step + 1 < ranks)
        vector.combine(previous, piece(in), Side::either, round);
      else
        vector.receive(previous, piece(in), round);
    }
  }
  vector.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(allreduce, ring) {
  return {
      .operation = Operation::allreduce,
      .name = "ring",
      .idea = "parts travel around a ring to be combined, and once more when finished",
      .cost = "2 (P-1) N alpha + (P-1)/P m (2 beta + gamma)",
      .flat_s = [](const CostTerms& t) { return 2 * (t.P - 1) * t.N * t.alpha + t.scattered(); },
      .source = "Patarasuk, Yuan 2009, Section 3; in seed 003 ReduceScatter ring + Allgather ring",
      .also = "rs-ag-ring",
      .build = build,
      .tune = tune,
      .needs_commutative = true};
}

}  // namespace pat::algorithm_allreduce_ring
