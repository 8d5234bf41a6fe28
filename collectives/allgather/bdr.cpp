// Background disseminated ring: blocks travel around a ring in the order of arrivals, each as soon
// as it is there; they land, and are passed on, before a process arrives.
// Cost (equal arrivals): (P - 1)(N alpha + n beta); P processes, n bytes of one block in N
//   segments, alpha start-up time of a message, beta transfer time per byte. After a last arrival
//   only its own block is missing elsewhere, and none at it: (P - 2 + N)(alpha + n/N beta), which
//   N = sqrt((P - 2) n beta / alpha) makes least.
// Source: the idea of Proficz 2021, "All-gather algorithms resilient to imbalanced process arrival
//   patterns" (ACM TACO 18(4), a ring whose early data a background thread exchanges), of which the
//   abstract was read; the schedule is our own.

#include <algorithm>
#include <cmath>

#include "collectives/algorithm.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/early.hpp"

namespace pat::algorithm_allgather_bdr {
namespace {

/// One piece unless the others are done among themselves when the last one comes.
int pieces_of(const Problem& problem, const ArrivalPattern& pattern) {
  if (problem.segments > 0) return problem.segments;
  const double transfer_s = allgather::block_bytes(problem) * problem.cost.beta_s_per_byte;
  const int early = early_ones(pattern, [&](int count) {
    return static_cast<double>(count - 1) * (problem.cost.alpha_s + transfer_s);
  });
  if (early == 0) return 1;
  const double best = std::sqrt(std::max(0, problem.ranks - 2) * transfer_s /
                                (problem.ranks - early) / std::max(problem.cost.alpha_s, 1e-12));
  return static_cast<int>(std::clamp(std::round(best), 1.0, 32.0));
}

Tuning tune(const Problem& problem, const ArrivalPattern& pattern) {
  return {.segments = pieces_of(problem, pattern)};
}

/// A block that goes on waits in scratch, as the receive buffer is the user's until he arrives.
void build_rank(const allgather::Blocks& blocks, const std::vector<int>& order, int place,
                int pieces, Program& program) {
  const int ranks = static_cast<int>(order.size()), rank = order[place];
  const int next = order[(place + 1) % ranks], previous = order[(place - 1 + ranks) % ranks];
  const OpId joined = program.join();
  program.copy(blocks.own(rank), blocks.run(rank, rank + 1), {joined});
  for (int piece = 0; piece < pieces && ranks > 1; ++piece)
    allgather::send(program, next, part_of(blocks.own(rank), pieces, piece), {joined}, place);
  for (int away = 1; away < ranks; ++away) {
    const int owner = (place - away + ranks) % ranks;
    const bool goes_on = away + 1 < ranks;
    const Slice home = blocks.run(order[owner], order[owner] + 1);
    const Slice lands = goes_on && home.length > 0 ? program.scratch(home.length) : home;
    for (int piece = 0; piece < pieces; ++piece) {
      const Slice part = part_of(lands, pieces, piece);
      if (part.length == 0) continue;
      const OpId here = program.recv(previous, part, {}, static_cast<std::uint32_t>(owner));
      if (!goes_on) continue;
      allgather::send(program, next, part, {here}, owner);
      program.copy(part, part_of(home, pieces, piece), {joined, here});
    }
  }
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const allgather::Blocks blocks(problem);
  const std::vector<int> order = allgather::order_of(problem, pattern);
  const int pieces = pieces_of(problem, pattern);
  return allgather::build_places(problem, order, [&](int place, Program& program) {
    build_rank(blocks, order, place, pieces, program);
  });
}

}  // namespace

PAT_ALGORITHM(allgather, bdr) {
  return {.operation = Operation::allgather,
          .name = "bdr",
          .idea = "a ring whose blocks land and are passed on before a process arrives",
          .cost = "(P-1)(N alpha + n beta); (P-2+N)(alpha + n/N beta) after a last arrival",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.N * t.alpha + t.n * t.beta); },
          .source = "after Proficz 2021",
          .build = build,
          .tune = tune,
          .uses_pattern = true,
          .background = true};
}

}  // namespace pat::algorithm_allgather_bdr
