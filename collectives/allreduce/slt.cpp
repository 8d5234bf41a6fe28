// Sorted linear tree: the processes form a chain in the order of arrivals; the vector passes
// through it in N segments, each combined on its way, to the one that comes last, and the result
// passes back.
// Cost (equal arrivals): about 2 (P + N - 2)(alpha + m/N beta) + m gamma; P processes, m bytes of
//   the vector, alpha start-up time of a message, beta transfer and gamma combining time per byte.
//   Where the last one comes after all others have been combined: (P + N - 1)(alpha + m/N beta) +
//   m gamma from then on. N = sqrt((P - 1) m (beta + gamma) / alpha) makes that least.
// Source: Proficz 2018, "Improving all-reduce collective operations for imbalanced process arrival
//   patterns" (arXiv 1804.05349): the idea; own schedule.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/chain.hpp"
#include "collectives/allreduce/vector.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allreduce_slt {
namespace {

using reduce::Parts;
using reduce::Side;

int segments_of(const Problem& problem) {
  return problem.segments > 0 ? problem.segments
                              : allreduce::chain_segments(problem, problem.ranks - 1);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = segments_of(problem)};
}

void build_rank(const Problem& problem, const std::vector<int>& chain, int place,
                Program& program) {
  const int segments = segments_of(problem), last = problem.ranks - 1;
  allreduce::Vector vector(problem, program, segments);
  for (int segment = 0; segment < segments; ++segment) {
    const Parts piece{segment, segment + 1};
    const auto round = static_cast<std::uint32_t>(segment + place);
    if (place > 0) vector.combine(chain[place - 1], piece, Side::either, round - 1);
    if (place < last) vector.send(chain[place + 1], piece, round);
  }
  for (int segment = 0; segment < segments; ++segment) {
    const Parts piece{segment, segment + 1};
    const auto round = static_cast<std::uint32_t>(segment + 2 * last - place);
    if (place < last) vector.receive(chain[place + 1], piece, round - 1);
    if (place > 0) vector.send(chain[place - 1], piece, round);
  }
  vector.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const std::vector<int> chain = arrival_order(pattern);
  return build_ranks(problem, [&](int rank, Program& program) {
    const auto place = std::find(chain.begin(), chain.end(), rank) - chain.begin();
    build_rank(problem, chain, static_cast<int>(place), program);
  });
}

}  // namespace

PAT_ALGORITHM(allreduce, slt) {
  return {.operation = Operation::allreduce,
          .name = "slt",
          .idea = "segments pass through a chain in the order of arrivals, and the result back",
          .cost = "2 (P+N-2)(alpha + m/N beta) + m gamma",
          .flat_s =
              [](const CostTerms& t) {
                return 2 * (t.P + t.N - 2) * (t.alpha + t.n / t.N * t.beta) + t.n * t.gamma;
              },
          .source = "Proficz 2018",
          .build = build,
          .tune = tune,
          .uses_pattern = true,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_allreduce_slt
