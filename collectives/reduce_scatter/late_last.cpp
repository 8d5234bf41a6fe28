// Late last: every rank sends each block straight to the rank that it is for, and combines what
// comes for its own in the order of arrivals, from the first process to the last.
// Cost (equal arrivals): (P-1)(alpha + n beta) + (P-1) n gamma at most. After a last arrival
//   alpha + (P-1) n beta until its blocks have left it, + n gamma; P processes, n bytes of one
//   block, alpha start-up time of a message, beta transfer and gamma combining time per byte.
// Who has come sends first to those behind it in the order, then to those before it, who take its
// block when they have those of all that came earlier.
// Source: the idea of seed 001 (gathering in the order of arrivals); the schedule is our own.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce_scatter/direct.hpp"

namespace pat {
namespace {

/// `order`: the ranks by place.
void build_rank(const Problem& problem, const std::vector<int>& order, int place,
                Program& program) {
  const int ranks = problem.ranks;
  reduce_scatter::Direct direct(problem, order[place], program);
  for (int step = 1; step < ranks; ++step) direct.send(order[(place + step) % ranks], place);
  if (direct.is_empty()) return;
  OpId written = program.copy(direct.own(), direct.result(), {direct.joined()});
  for (int from = 0; from < ranks; ++from)
    if (from != place) written = direct.combine(order[from], direct.result(), written, from);
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const std::vector<int> order = arrival_order(pattern);
  return build_ranks(problem, [&](int rank, Program& program) {
    const auto place = std::find(order.begin(), order.end(), rank) - order.begin();
    build_rank(problem, order, static_cast<int>(place), program);
  });
}

}  // namespace

PAT_ALGORITHM(reduce_scatter, late_last) {
  return {
      .operation = Operation::reduce_scatter,
      .name = "late-last",
      .idea = "blocks go straight to their ranks, which combine them in the order of arrivals",
      .cost = "alpha + (P-1) n beta + n gamma after a last arrival",
      .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * (t.beta + t.gamma)); },
      .source = "after seed 001",
      .build = build,
      .uses_pattern = true,
      .needs_commutative = true};
}

}  // namespace pat
