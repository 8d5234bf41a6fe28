// Rabenseifner's butterfly: neighbours exchange halves of the vector, then pairs at distance 2
// quarters, and so on; the finished parts gather at the root along the way back. Where P is no
// power of two, the first ranks fold in pairs before.
// Cost (equal arrivals, P a power of two): 2 log2(P) alpha + (P-1)/P m (2 beta + gamma); P
//   processes, m bytes of the vector, alpha start-up time of a message, beta transfer and gamma
//   combining time per byte. Otherwise alpha + m (beta + gamma) more, and P' = 2^floor(log2 P) for
//   P.
// Source: seed 004 Section 5.5.3, Table 3.

#include <bit>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce/scattered.hpp"

namespace pat::algorithm_reduce_rabenseifner {
namespace {

using reduce::Side;

/// Ranks 2i and 2i + 1, i < extra, fold into one place; the root stays if it is one of them.
std::vector<int> survivors(const Problem& problem, int places) {
  const int extra = problem.ranks - places;
  std::vector<int> ranks;
  for (int place = 0; place < places; ++place)
    ranks.push_back(place >= extra ? place + extra : 2 * place + (problem.root == 2 * place + 1));
  return ranks;
}

void build_rank(const Problem& problem, int rank, Program& program) {
  const int places = static_cast<int>(std::bit_floor(static_cast<unsigned>(problem.ranks)));
  const int extra = problem.ranks - places;
  const std::vector<int> ranks = survivors(problem, places);
  const auto place_of = [&](int r) { return r < 2 * extra ? r / 2 : r - extra; };
  const int place = place_of(rank);
  reduce::Scattered parts(problem, rank, program, places);
  if (rank < 2 * extra) {
    const int other = rank ^ 1;
    if (ranks[place] != rank) return parts.send(other, {0, places}, 0);
    const Side side = problem.commutative ? Side::either : other > rank ? Side::right : Side::left;
    parts.combine(other, {0, places}, side, 0);
  }
  const std::vector<int> factors(std::bit_width(static_cast<unsigned>(places)) - 1, 2);
  exchange_and_gather(parts, factors, ranks, place, place_of(problem.root), !problem.commutative,
                      extra > 0 ? 1 : 0);
  parts.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(reduce, rabenseifner) {
  return {.operation = Operation::reduce,
          .name = "rabenseifner",
          .idea = "pairs exchange halves, quarters, ... of the vector, then gather",
          .cost = "2 log2(P) alpha + (P-1)/P m (2 beta + gamma), P a power of two",
          .flat_s = [](const CostTerms& t) { return 2 * t.levels() * t.alpha + t.scattered(); },
          .source = "seed 004, Section 5.5.3, Table 3",
          .build = build};
}

}  // namespace pat::algorithm_reduce_rabenseifner
