// Background sorted linear: every block goes straight to all others, in the order of arrivals, and
// lands before its receiver has come.
// Cost (equal arrivals): (P - 1)(alpha + n beta); P processes, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte. After a last arrival the same: its block goes
//   to all others one by one, but all that is late by then goes at once.
// Source: after the background sorted linear scatter of seed 001 Section 4.1, one at every rank.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/straight.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allgather_bslin {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return allgather::build_straight(problem, {.order = arrival_order(pattern), .background = true});
}

}  // namespace

PAT_ALGORITHM(allgather, bslin) {
  return {.operation = Operation::allgather,
          .name = "bslin",
          .idea = "every block goes straight to all others, in the order of arrivals",
          .cost = "(P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "after seed 001, Section 4.1",
          .build = build,
          .uses_pattern = true,
          .background = true};
}

}  // namespace pat::algorithm_allgather_bslin
