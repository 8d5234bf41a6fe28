// Recursive doubling: in each round pairs of ranks, twice as far apart as before, tell each other.
// Cost (equal arrivals): log2(P) alpha, P a power of two, else 2 alpha more for the largest power
// of
//   two in P; P processes, alpha start-up time of a message.
// Source: seed 003 (barrier by recursive doubling).

#include "collectives/algorithm.hpp"
#include "collectives/barrier/signals.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::algorithm_barrier_recursive_doubling {
namespace {

void build_rank(const Places& places, int rank, Program& program) {
  barrier::Signals signals(program);
  const int last_round = static_cast<int>(places.doublings()) + 1;
  if (places.is_guest(rank)) {
    signals.tell(rank - 1, 0);
    return signals.hear(rank - 1, last_round);
  }
  if (places.has_pair(rank)) signals.hear(rank + 1, 0);
  int round = 1;
  for (int bit = 1; bit < places.count; bit *= 2, ++round) {
    const int peer = places.rank(places.of(rank) ^ bit);
    signals.tell(peer, round);
    signals.hear(peer, round);
  }
  if (places.has_pair(rank)) signals.tell(rank + 1, last_round);
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const Places places(problem.ranks);
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(places, rank, program); });
}

}  // namespace

PAT_ALGORITHM(barrier, recursive_doubling) {
  return {.operation = Operation::barrier,
          .name = "recursive-doubling",
          .idea = "pairs of ranks, twice as far apart each round, tell each other",
          .cost = "log2(P) alpha, P a power of two, else 2 alpha more",
          .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha; },
          .source = "seed 003, barrier by recursive doubling",
          .build = build};
}

}  // namespace pat::algorithm_barrier_recursive_doubling
