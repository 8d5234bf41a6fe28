// Linear pipeline: the ranks form a chain that ends at the root; the vector passes through it in N
// segments, each combined on its way.
// Cost (equal arrivals): (P + N - 2)(alpha + (m/N)(beta + gamma)); P processes, m bytes of the
//   vector, alpha start-up time of a message, beta transfer and gamma combining time per byte. With
//   the best N: (P-2) alpha + 2 sqrt((P-2) alpha m (beta + gamma)) + m (beta + gamma).
// Source: seed 004 Table 3.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce/partials.hpp"
#include "collectives/reduce/segments.hpp"

namespace pat::algorithm_reduce_pipeline {
namespace {

using reduce::Side;

/// Two chains meet at the root, the ranks below it and those above it, so that operands keep their
/// order; if they may be reordered, one chain goes all the way round, which costs one receive less.
void build_rank(const Problem& problem, int rank, Program& program) {
  const int ranks = problem.ranks, root = problem.root;
  const int segments = reduce::segments_through(problem, ranks - 2);
  const bool one_chain = problem.commutative;
  reduce::Partials partials(problem, rank, program, segments);
  partials.keep_rounds();
  const auto neighbour = [&](int step) { return (rank + step + ranks) % ranks; };
  for (int segment = 0; segment < segments; ++segment) {
    const auto start = static_cast<std::uint32_t>(segment);
    if (one_chain) {
      const int place = (rank - root + ranks) % ranks;
      const std::uint32_t round = start + static_cast<std::uint32_t>(ranks - 1 - place);
      if (place + 1 < ranks) partials.combine(neighbour(1), segment, Side::either, round - 1);
      if (place > 0) partials.send(neighbour(-1), segment, round);
      continue;
    }
    if (rank >= root && rank + 1 < ranks)
      partials.combine(rank + 1, segment, Side::right, 2 * start + ranks - 2 - rank);
    if (rank <= root && rank > 0)
      partials.combine(rank - 1, segment, Side::left, 2 * start + rank - 1);
    if (rank > root) partials.send(rank - 1, segment, 2 * start + ranks - 1 - rank);
    if (rank < root) partials.send(rank + 1, segment, 2 * start + rank);
  }
  partials.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(reduce, pipeline) {
  return {.operation = Operation::reduce,
          .name = "pipeline",
          .idea = "segments pass through a chain of all ranks",
          .cost = "(P+N-2)(alpha + m/N (beta + gamma))",
          .flat_s = [](const CostTerms& t) { return t.combining_chain_s(); },
          .source = "seed 004, Table 3",
          .build = build};
}

}  // namespace pat::algorithm_reduce_pipeline
