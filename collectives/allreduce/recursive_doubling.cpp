// Recursive doubling: in each round pairs of ranks, twice as far apart as before, exchange their
// whole partial results and combine them, in rank order on both sides.
// Cost (equal arrivals): log2(P) (alpha + m (beta + gamma)), P a power of two; otherwise two
//   messages more (2 alpha + m (2 beta + gamma)), and 2^floor(log2 P) for P; P processes, m bytes
//   of the vector, alpha start-up time of a message, beta transfer and gamma combining time per
//   byte.
// Source: Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in
//   MPICH", Section 4.5; seed 003 (allreduce).

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/places.hpp"
#include "collectives/allreduce/vector.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allreduce_recursive_doubling {
namespace {

using reduce::Side;

void build_rank(const Problem& problem, int rank, Program& program) {
  const Places places(problem.ranks);
  allreduce::Vector vector(problem, program, 1);
  with_guests(vector, places, rank, places.doublings() + 1, [&](int place) {
    std::uint32_t round = 1;
    for (int bit = 1; bit < places.count; bit *= 2, ++round) {
      const int peer = places.rank(place ^ bit);
      vector.send(peer, vector.all(), round);
      vector.combine(peer, vector.all(), place & bit ? Side::left : Side::right, round);
    }
  });
  vector.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(allreduce, recursive_doubling) {
  return {.operation = Operation::allreduce,
          .name = "recursive-doubling",
          .idea = "pairs, twice as far apart each round, exchange and combine all that they have",
          .cost = "log2(P) (alpha + m (beta + gamma)), P a power of two",
          .flat_s =
              [](const CostTerms& t) { return t.levels() * (t.alpha + t.n * (t.beta + t.gamma)); },
          .source = "Thakur, Rabenseifner, Gropp 2005, Section 4.5",
          .build = build};
}

}  // namespace pat::algorithm_allreduce_recursive_doubling
