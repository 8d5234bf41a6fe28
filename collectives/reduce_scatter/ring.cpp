// Ring: each of the P blocks travels around the ring of ranks, is combined on its way and ends at
// the rank that it is for.
// Cost (equal arrivals): (P-1)(alpha + n (beta + gamma)); P processes, n bytes of one block, alpha
//   start-up time of a message, beta transfer and gamma combining time per byte.
// Source: Patarasuk, Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of
//   workstations", Section 3 (its first half).

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/vector.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce_scatter/bounds.hpp"

namespace pat::algorithm_reduce_scatter_ring {
namespace {

using reduce::Parts;
using reduce::Side;

void build_rank(const Problem& problem, int rank, Program& program) {
  const int ranks = problem.ranks;
  const int next = (rank + 1) % ranks, previous = (rank - 1 + ranks) % ranks;
  allreduce::Vector vector(problem, program, reduce_scatter::block_bounds(problem));
  // Block k starts at rank k + 1 and is finished at rank k.
  for (int step = 0; step + 1 < ranks; ++step) {
    const int out = (rank - 1 - step + ranks) % ranks;
    const int in = (rank - 2 - step + 2 * ranks) % ranks;
    const auto round = static_cast<std::uint32_t>(step);
    vector.send(next, Parts{out, out + 1}, round);
    vector.combine(previous, Parts{in, in + 1}, Side::either, round);
  }
  vector.hand_over({rank, rank + 1});
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(reduce_scatter, ring) {
  return {
      .operation = Operation::reduce_scatter,
      .name = "ring",
      .idea = "blocks travel around a ring, are combined on their way and end at their ranks",
      .cost = "(P-1)(alpha + n (beta + gamma))",
      .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * (t.beta + t.gamma)); },
      .source = "Patarasuk, Yuan 2009, Section 3",
      .build = build,
      .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_scatter_ring
