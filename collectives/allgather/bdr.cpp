// Background disseminated ring: blocks travel around a ring in the order of arrivals, each as soon
// as it is there; they land, and are passed on, before a process arrives.
// Cost (equal arrivals): (P - 1)(N alpha + n beta); P processes, n bytes of one block in N
//   segments, alpha start-up time of a message, beta transfer time per byte. After a last arrival
//   only its own block is missing elsewhere, and none at it: (P - 2 + N)(alpha + n/N beta). N is
//   the least that ends nearly soonest by both, and by all between them, for arrivals as expected.
// Source: the idea of Proficz 2021, "All-gather algorithms resilient to imbalanced process arrival
//   patterns" (ACM TACO 18(4), a ring whose early data a background thread exchanges), of which the
//   abstract was read; the schedule is our own.

#include <algorithm>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/pieces.hpp"

namespace pat::algorithm_allgather_bdr {
namespace {

constexpr int most_pieces = 32;
constexpr double nearly = 1.05;

/// When all have all blocks, if each is cut into so many pieces. Through each link pass the blocks
/// of those that come last after the first of these has come, and the last one's goes around alone.
double end_s(const Problem& problem, const ArrivalPattern& pattern, const std::vector<int>& order,
             int pieces) {
  const double alpha_s = problem.cost.alpha_s;
  const double transfer_s = allgather::block_bytes(problem) * problem.cost.beta_s_per_byte;
  const int last = problem.ranks - 1;
  double end_s =
      pattern.offset_s[order[last]] + (last - 1 + pieces) * (alpha_s + transfer_s / pieces);
  for (int place = 0; place <= last; ++place)
    end_s = std::max(end_s, pattern.offset_s[order[place]] +
                                std::min(last + 1 - place, last) * (pieces * alpha_s + transfer_s));
  return end_s;
}

/// As few as end nearly soonest: each costs processors, and what they gain depends on forecasts.
int pieces_of(const Problem& problem, const ArrivalPattern& pattern) {
  if (problem.segments > 0) return problem.segments;
  if (problem.ranks < 3) return 1;
  const std::vector<int> order = arrival_order(pattern);
  const int least = unasked_pieces(problem, allgather::block_bytes(problem));
  const auto run_s = [&](int pieces) {
    return end_s(problem, pattern, order, pieces) - pattern.offset_s[order.front()];
  };
  double soonest_s = run_s(least);
  for (int pieces = least; pieces <= most_pieces; ++pieces)
    soonest_s = std::min(soonest_s, run_s(pieces));
  int pieces = least;
  while (run_s(pieces) > nearly * soonest_s) ++pieces;
  return pieces;
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
