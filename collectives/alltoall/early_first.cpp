// Early first: the e processes that come first exchange pairwise among themselves while the others
// are on their way. Each late one then exchanges with the early ones in turn, each beginning with
// another, and at last with the other late ones.
// Cost (equal arrivals): (e + P - 2)(alpha + n beta), (P - 1)(alpha + n beta) with e = P; after the
//   last arrival (P - 1)(alpha + n beta), and no messages but those of the late ones; P processes,
//   n bytes of one block, alpha start-up time of a message, beta transfer time per byte.
// Variant: e, from 1 to P.
// Source: the idea of Qian and Afsahi 2009, "Process arrival pattern aware alltoall and allgather
//   on InfiniBand clusters" (pairs that are there go first), which was not read; the
//   schedule is our own.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/alltoall/blocks.hpp"
#include "collectives/alltoall/early.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_alltoall_early_first {
namespace {

/// `order`: the ranks by place; places from `early` on are late.
void build_rank(const std::vector<int>& order, int early, int place,
                alltoall::Exchanges& exchanges) {
  const int late = static_cast<int>(order.size()) - early;
  int round = 0;
  const auto among = [&](int first, int count) {
    for (int step = 1; step < count; ++step)
      exchanges.in_turn(order[first + (place - first + step) % count],
                        order[first + (place - first - step + count) % count], round++);
  };
  if (place < early) {
    for (int other = early; other < early + late; ++other)
      exchanges.at_once(order[other], order[other], early - 1);
    return among(0, early);
  }
  for (int step = 0; step < early; ++step) {
    const int peer = order[(place - early + step) % early];
    exchanges.in_turn(peer, peer, round++);
  }
  among(early, late);
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const std::vector<int> order = arrival_order(pattern);
  const int early = alltoall::early_of(problem, pattern);
  return build_ranks(problem, [&](int rank, Program& program) {
    alltoall::Exchanges exchanges(problem, rank, program);
    const auto place = std::find(order.begin(), order.end(), rank) - order.begin();
    build_rank(order, early, static_cast<int>(place), exchanges);
  });
}

}  // namespace

PAT_ALGORITHM(alltoall, early_first) {
  return {.operation = Operation::alltoall,
          .name = "early-first",
          .idea = "early pairs first; late ones then exchange with one after another",
          .cost = "(P-1)(alpha + n beta), also after a last arrival",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "after Qian, Afsahi 2009",
          .build = build,
          .tune = alltoall::tune_early,
          .uses_pattern = true};
}

}  // namespace pat::algorithm_alltoall_early_first
