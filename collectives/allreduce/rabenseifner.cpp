// Rabenseifner's allreduce: neighbours exchange halves of the vector and combine them, then pairs
// at distance 2 quarters, and so on; back on the same way they exchange what is finished.
// Cost (equal arrivals, P a power of two): 2 log2(P) alpha + (P-1)/P m (2 beta + gamma); P
//   processes, m bytes of the vector, alpha start-up time of a message, beta transfer and gamma
//   combining time per byte. Otherwise 2 alpha + m (2 beta + gamma) more, and 2^floor(log2 P)
//   for P.
// Source: Rabenseifner 2004, "Optimization of collective reduction operations", Section 4; with
//   neighbours first, so that operands keep their order; seed 003 (allreduce).

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/places.hpp"
#include "collectives/allreduce/vector.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allreduce_rabenseifner {
namespace {

using reduce::Parts;
using reduce::Side;

void build_rank(const Problem& problem, int rank, Program& program) {
  const Places places(problem.ranks);
  allreduce::Vector vector(problem, program, places.count);
  with_guests(vector, places, rank, 2 * places.doublings() + 1, [&](int place) {
    Parts mine = vector.all();
    std::uint32_t round = 1;
    for (int bit = 1; bit < places.count; bit *= 2, ++round) {
      const int peer = places.rank(place ^ bit), middle = (mine.first + mine.last) / 2;
      const Parts low{mine.first, middle}, high{middle, mine.last};
      const bool upper = place & bit;
      const Side ordered = upper ? Side::left : Side::right;
      mine = upper ? high : low;
      vector.send(peer, upper ? low : high, round);
      vector.combine(peer, mine, problem.commutative ? Side::either : ordered, round);
    }
    for (int bit = places.count / 2; bit > 0; bit /= 2, ++round) {
      const int peer = places.rank(place ^ bit), width = mine.count();
      const Parts theirs =
          place & bit ? Parts{mine.first - width, mine.first} : Parts{mine.last, mine.last + width};
      vector.send(peer, mine, round);
      vector.receive(peer, theirs, round);
      mine = {std::min(mine.first, theirs.first), std::max(mine.last, theirs.last)};
    }
  });
  vector.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(allreduce, rabenseifner) {
  return {.operation = Operation::allreduce,
          .name = "rabenseifner",
          .idea = "pairs exchange halves, quarters, ... of the vector, and back what is finished",
          .cost = "2 log2(P) alpha + (P-1)/P m (2 beta + gamma), P a power of two",
          .flat_s = [](const CostTerms& t) { return 2 * t.levels() * t.alpha + t.scattered(); },
          .source = "Rabenseifner 2004, Section 4",
          .build = build};
}

}  // namespace pat::algorithm_allreduce_rabenseifner
